"""Rules for folders, hosts, scripts and query parameters of a URL.

A folder rule has the type of the folder's own page (``/blog``) and of the pages below it
(``/blog/a-post``). The deepest folder with a rule decides, unless one above it is *closed*: every
page below ``/docs`` is documentation, also in ``/docs/blog``.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final, NamedTuple

from sitecrawl.classify.pages import Category, PageType


class FolderRule(NamedTuple):
    own: PageType
    """Type of the folder's own page."""
    below: PageType
    """Type of the pages below it."""
    is_closed: bool = False
    """Whether rules of deeper folders are ignored."""
    category: Category | None = None
    """Of the pages below it, if it is not that of their type."""


class QueryRule(NamedTuple):
    page_type: PageType
    category: Category


_ARTICLES = """
    blog blogs news newsroom article articles story stories post posts journal magazine press
    press-release press-releases pressreleases releases-news insights opinion opinions column
    columns editorial review reviews recipe recipes tips advice guides-and-tips case-study
    case-studies customer-stories success-stories feature-stories wiki encyclopedia essays
    interviews lessons conditions
    aktuelles nachrichten neuigkeiten meldungen meldung artikel beitrag beitraege ratgeber magazin
    presse pressemitteilung pressemitteilungen rezept rezepte wissen
    actualite actualites articles-fr communiques communique-de-presse recette recettes conseils
    dossiers
    noticia noticias articulo articulos recetas receta consejos artigo artigos receitas
    notizie notizia articolo articoli ricette ricetta comunicati-stampa
    nieuws artikelen recepten nieuwsbericht aktualnosci artykul artykuly przepisy poradnik
    nyheter nyhed nyheder artiklar artikkel uutiset artikkelit novinky clanek clanky hirek cikk
    haber haberler novosti stati
"""
_PRODUCTS = """
    product products produkt produkte produit produits producto productos produto produtos prodotto
    prodotti producten tuote tuotteet produkty produkter termek termekek urun tovar item items dp p
    pd prod sku shop store buy hotel property apartment book books ksiazka ksiazki buch livre libro
    listing details artikel-nr offer model vehicle car tour room rooms raeder
"""
_LISTINGS = """
    category categories cat tag tags tagged topic topics label labels collection collections brand
    brands section sections archive archives archiv browse search-by catalog catalogue department
    departments c f genre genres kategorie kategorien schlagwort schlagworte thema themen categorie
    categories-fr etiquette categoria etiqueta temas tema marca marcas marque marques kategoria
    kategori emne avainsana page pages-list explore destinations hotels
"""
_PROFILES = """
    author authors autor autoren auteur auteurs autore autori user users u member members profile
    profiles people person persons staff team our-team teams faculty contributor contributors
    speaker speakers artist artists company companies organisation organisations organization
    organizations branch agent agents instructor instructors teacher teachers doctor doctors
    benutzer mitglied mitglieder mitarbeiter personen utilisateur utilisateurs membre membres
    usuario usuarios utente utenti gebruiker leden
"""
_EVENTS = """
    event events calendar whats-on exhibition exhibitions conference conferences webinar webinars
    veranstaltung veranstaltungen termin termine ausstellung ausstellungen evenement evenements
    agenda expositions evento eventos eventi mostre evenementen wydarzenia evenemang arrangement
    arrangementer tapahtumat akce
"""
_JOBS = """
    job jobs career careers vacancy vacancies position positions open-positions opportunities
    stelle stellen stellenangebot stellenangebote karriere jobangebote emploi emplois
    offres-d-emploi
    recrutement carrieres empleo empleos trabajo vagas vaga carreiras lavoro lavora-con-noi
    offerte-di-lavoro vacature vacatures praca oferty-pracy kariera lediga-jobb stillinger
"""
_DISCUSSIONS = """
    forum forums thread threads discussion discussions question questions t topic-t community
    comments board boards issues pull pulls frage fragen foro foros debat q
"""
_MEDIA = """
    video videos watch gallery galleries photo photos pictures image images podcast podcasts
    episode episodes audio music media-library mediathek audiothek bilder galerie galeria fotos
    foto vidéos emission sendung live
"""
_HELP = """
    help help-center help-centre helpcenter support faq faqs kb knowledgebase knowledge-base
    customer-service customer-care customer-support guidance hilfe kundenservice aide assistance
    ayuda soporte ajuda suporte assistenza aiuto klantenservice hulp pomoc hjalp hjelp
"""
_DOCUMENTATION = """
    docs doc documentation developer-docs reference api-reference api-docs manual manuals handbook
    readme changelog release-notes sdk tutorial tutorials getting-started dokumentation
    handbuch anleitung anleitungen documentacion documentacao documentazione documentatie
    javadoc godoc learn-docs latest stable
"""
_LEGAL = """
    legal policies policy privacy terms compliance rechtliches mentions-legales
"""
_LOGIN = """
    account accounts my-account myaccount login signin sign-in signup register auth oauth sso
    password user-account customer members-area admin wp-admin dashboard my mein-konto konto
    mon-compte mi-cuenta minha-conta mijn-account
"""
_CART = "cart basket checkout order orders warenkorb kasse panier carrito carrello winkelwagen"
_SEARCH = "search suche recherche buscar busqueda busca ricerca zoeken szukaj haku find"
_FILES = "download downloads file files attachment attachments attachment-files telechargements"
_ABOUT = "about about-us company ueber-uns unternehmen a-propos sobre chi-siamo over-ons"
_CONTACT = "contact contact-us kontakt contacto contatti"
_FEEDS = "feed feeds rss"
_UTILITY = "api print printview embed share preview ajax cgi-bin"


def _rules(words: str, rule: FolderRule) -> dict[str, FolderRule]:
    return {word.replace("-", ""): rule for word in words.split()}


FOLDER_RULES: Final = MappingProxyType(
    {
        **_rules(_ABOUT, FolderRule(PageType.ABOUT, PageType.ABOUT)),
        **_rules(_CONTACT, FolderRule(PageType.CONTACT, PageType.CONTACT)),
        **_rules(_ARTICLES, FolderRule(PageType.LISTING, PageType.ARTICLE)),
        **_rules(_PRODUCTS, FolderRule(PageType.LISTING, PageType.PRODUCT)),
        **_rules(_LISTINGS, FolderRule(PageType.LISTING, PageType.LISTING)),
        **_rules(_PROFILES, FolderRule(PageType.LISTING, PageType.PROFILE)),
        **_rules(_EVENTS, FolderRule(PageType.LISTING, PageType.EVENT)),
        **_rules(_JOBS, FolderRule(PageType.LISTING, PageType.JOB)),
        **_rules(_DISCUSSIONS, FolderRule(PageType.LISTING, PageType.DISCUSSION)),
        **_rules(_MEDIA, FolderRule(PageType.LISTING, PageType.MEDIA)),
        **_rules(_HELP, FolderRule(PageType.HELP, PageType.HELP, is_closed=True)),
        **_rules(
            _DOCUMENTATION,
            FolderRule(PageType.DOCUMENTATION, PageType.DOCUMENTATION, is_closed=True),
        ),
        **_rules(_LEGAL, FolderRule(PageType.LEGAL, PageType.LEGAL, is_closed=True)),
        **_rules(_LOGIN, FolderRule(PageType.LOGIN, PageType.LOGIN, is_closed=True)),
        **_rules(_CART, FolderRule(PageType.CART, PageType.CART, is_closed=True)),
        **_rules(_SEARCH, FolderRule(PageType.SEARCH, PageType.SEARCH, is_closed=True)),
        **_rules(_FILES, FolderRule(PageType.FILE, PageType.FILE)),
        **_rules(_FEEDS, FolderRule(PageType.FEED, PageType.FEED, is_closed=True)),
        **_rules(
            _UTILITY,
            FolderRule(PageType.PAGE, PageType.PAGE, is_closed=True, category=Category.UTILITY),
        ),
    }
)

# By the first label of a host; the rule holds for every page of the host.
HOST_RULES: Final = MappingProxyType(
    {
        **_rules(
            "docs doc documentation developer developers",
            FolderRule(PageType.DOCUMENTATION, PageType.DOCUMENTATION, is_closed=True),
        ),
        **_rules(
            "help support kb faq hilfe aide",
            FolderRule(PageType.HELP, PageType.HELP, is_closed=True),
        ),
        **_rules("blog news", FolderRule(PageType.HOME, PageType.ARTICLE)),
        **_rules(
            "forum forums community ask discuss board answers",
            FolderRule(PageType.HOME, PageType.DISCUSSION),
        ),
        **_rules(
            "login auth sso account accounts",
            FolderRule(PageType.LOGIN, PageType.LOGIN, is_closed=True),
        ),
        **_rules("jobs careers karriere", FolderRule(PageType.HOME, PageType.JOB)),
    }
)

# Scripts of forums and wikis.
SCRIPT_RULES: Final = MappingProxyType(
    {
        "viewtopic.php": PageType.DISCUSSION,
        "showthread.php": PageType.DISCUSSION,
        "showpost.php": PageType.DISCUSSION,
        "viewforum.php": PageType.LISTING,
        "forumdisplay.php": PageType.LISTING,
        "memberlist.php": PageType.PROFILE,
        "member.php": PageType.PROFILE,
        "profile.php": PageType.PROFILE,
        "ucp.php": PageType.LOGIN,
        "wp-login.php": PageType.LOGIN,
        "search.php": PageType.SEARCH,
    }
)

# Namespaces of wikis: ``Category:Volcanoes``.
_NAMESPACES = {
    PageType.LISTING: "category kategorie categorie categoria portal special spezial",
    PageType.PROFILE: "user benutzer utilisateur usuario",
    PageType.DISCUSSION: "talk user-talk diskussion discussion discusion",
    PageType.HELP: "help hilfe aide ayuda",
    PageType.MEDIA: "file datei fichier archivo image",
}
NAMESPACE_TYPES: Final = MappingProxyType(
    {
        name.replace("-", ""): page_type
        for page_type, names in _NAMESPACES.items()
        for name in names.split()
    }
)


# --- query parameters ----------------------------------------------------------------------------

_SEARCH_PARAMETERS = (
    "q query s search keyword keywords searchterm search_query term what wd suche recherche"
)
_LISTING_PARAMETERS = """
    sort sort_by sortby order orderby order_by dir filter filters facet facets per_page limit view
    category cat tag tags brand color colour size price min_price max_price diet availability
"""
_UTILITY_PARAMETERS = (
    "print printable share replytocom add-to-cart add_to_cart remove_item preview redirect"
)
PARAMETER_RULES: Final = MappingProxyType(
    {
        **dict.fromkeys(_SEARCH_PARAMETERS.split(), QueryRule(PageType.SEARCH, Category.UTILITY)),
        **dict.fromkeys(_LISTING_PARAMETERS.split(), QueryRule(PageType.LISTING, Category.PRIMARY)),
        **dict.fromkeys(_UTILITY_PARAMETERS.split(), QueryRule(PageType.PAGE, Category.UTILITY)),
        "feed": QueryRule(PageType.FEED, Category.UTILITY),
    }
)
# Values of the parameters ``action`` and ``do`` that open an editor or a tool.
EDITING_ACTIONS: Final = frozenset(
    {"edit", "history", "raw", "submit", "info", "print", "delete", "protect"}
)
