"""The page: one offline HTML file with everything that is known about a recording."""
