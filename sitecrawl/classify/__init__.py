"""Says what each page of a site is: template, category, type, language, priority, clusters.

Classification is pure: columns of pages go in, classes come out; nothing is fetched or stored.

1. Learn the site from its pages::

       learned = learn_site(chunks)                # site_model: chunks of PageColumns
       learned.model, learned.clusters             # SiteModel (JSON by as_data()), list[Cluster]

2. Classify any of its pages with what was learned::

       classifier = PageClassifier(learned.model)  # classifier
       classes = classifier.classify(columns)      # one PageClass per row of a PageColumns

   A :class:`~sitecrawl.classify.pages.PageClass` is a named tuple, equal and hashable by value.
   A site of a million pages has some hundreds of them, so a store can number them and keep one
   number per page.

3. Explain a priority: ``classifier.explain(columns)`` gives its parts for each row.

The word lists and rules are data, in ``rules``.
"""
