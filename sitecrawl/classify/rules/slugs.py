"""Rules for slugs, the last segments of paths, in many languages.

Words are compared without hyphens, case, accents and file extensions: ``Privacy_Policy.html`` is
``privacypolicy``. Short titles are compared with the same words. The whole slug has to be the word:
no rule applies to a headline that contains it.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final, NamedTuple

from sitecrawl.classify.pages import CATEGORY_OF, Category, PageType


class SlugRule(NamedTuple):
    page_type: PageType
    category: Category


_LEGAL = """
    privacy privacy-policy privacy-notice privacy-statement privacy-center privacy-and-cookies
    privacy-policies your-privacy data-protection data-privacy data-processing-agreement dpa gdpr
    ccpa do-not-sell terms terms-of-use terms-of-service terms-of-sale terms-and-conditions
    terms-conditions terms-policies tos tou terms-privacy conditions-of-use cookies cookie-policy
    cookie-notice cookie-settings cookie-preferences legal legal-notice legal-information
    legal-notices legals disclaimer imprint copyright copyright-notice licence license licensing
    eula acceptable-use acceptable-use-policy community-guidelines code-of-conduct policies
    policy refund-policy return-policy returns-policy shipping-policy cancellation-policy
    editorial-policy complaints-policy safeguarding safeguarding-policy modern-slavery
    modern-slavery-statement accessibility accessibility-statement freedom-of-information
    transparency-in-coverage dmca trademarks security-policy responsible-disclosure
    impressum datenschutz datenschutzerklaerung datenschutzhinweise datenschutzhinweis agb
    nutzungsbedingungen widerruf widerrufsbelehrung widerrufsrecht rechtliches rechtliche-hinweise
    barrierefreiheit cookie-richtlinie teilnahmebedingungen
    mentions-legales confidentialite politique-de-confidentialite politique-confidentialite cgv cgu
    conditions-generales conditions-generales-de-vente conditions-generales-d-utilisation
    conditions-d-utilisation donnees-personnelles protection-des-donnees accessibilite
    politique-de-cookies gestion-des-cookies informations-legales
    aviso-legal aviso-de-privacidad politica-de-privacidad politica-privacidad politica-de-cookies
    terminos-y-condiciones terminos-de-uso condiciones-de-uso condiciones condiciones-de-venta
    condiciones-generales proteccion-de-datos accesibilidad
    privacidade politica-de-privacidade termos termos-de-uso termos-de-servico
    termos-e-condicoes politica-de-devolucao aviso-de-privacidade
    note-legali informativa-privacy informativa-sulla-privacy termini termini-e-condizioni
    condizioni condizioni-di-vendita condizioni-generali cookie-policy-it accessibilita
    algemene-voorwaarden voorwaarden privacybeleid privacyverklaring cookiebeleid
    gebruiksvoorwaarden toegankelijkheid
    regulamin polityka-prywatnosci polityka-cookies rodo deklaracja-dostepnosci
    integritetspolicy anvandarvillkor allmanna-villkor villkor kopvillkor personuppgifter
    privatlivspolitik handelsbetingelser vilkar vilkaar personvern personvernerklaering salgsvilkar
    tietosuoja tietosuojaseloste kayttoehdot toimitusehdot saavutettavuusseloste
    obchodni-podminky ochrana-osobnich-udaju podminky vseobecne-obchodne-podmienky
    adatvedelem adatkezelesi-tajekoztato aszf
    politica-de-confidentialitate termeni-si-conditii
    gizlilik gizlilik-politikasi kullanim-kosullari kvkk cerez-politikasi
    politika-konfidentsialnosti usloviya oferta
    tokushoho tokutei privacypolicy-jp kiyaku riyoukiyaku
"""
_HELP = """
    help help-center help-centre help-and-support helpdesk faq faqs frequently-asked-questions
    support support-center support-centre customer-service customer-services customer-support
    customer-care customer-help service-desk knowledge-base knowledgebase kb how-it-works how-to-buy
    how-to-order how-to-use shipping shipping-and-returns shipping-information shipping-returns
    delivery delivery-information delivery-and-returns returns returns-and-exchanges returns-refunds
    refunds exchanges warranty payment-methods payment-options track-order track-your-order
    order-tracking order-status size-guide size-guides sizing size-chart care-guide
    opening-hours opening-times hours getting-here parking troubleshooting user-guide
    hilfe hilfe-center hilfe-kontakt haeufige-fragen fragen-und-antworten kundenservice
    kundendienst versand versandkosten versand-und-lieferung lieferung ruecksendung retoure retouren
    zahlungsarten zahlung groessentabelle oeffnungszeiten anfahrt anfahrt-und-parken
    aide assistance centre-d-aide foire-aux-questions service-client livraison retours
    livraison-et-retours modes-de-paiement guide-des-tailles horaires questions-frequentes
    ayuda centro-de-ayuda preguntas-frecuentes atencion-al-cliente envios envios-y-devoluciones
    devoluciones formas-de-pago guia-de-tallas horarios soporte
    ajuda central-de-ajuda perguntas-frequentes duvidas-frequentes atendimento entrega trocas
    trocas-e-devolucoes suporte
    aiuto assistenza domande-frequenti servizio-clienti spedizioni resi spedizioni-e-resi supporto
    guida-alle-taglie orari
    veelgestelde-vragen klantenservice hulp verzending retourneren bezorging maattabel
    openingstijden
    pomoc czeste-pytania obsluga-klienta dostawa zwroty reklamacje wysylka platnosci
    hjalp kundtjanst vanliga-fragor leverans hjelp kundeservice hjaelp fragt levering retur
    asiakaspalvelu usein-kysytyt-kysymykset ohjeet toimitus
    napoveda doprava dotazy zakaznicky-servis segitseg szallitas yardim sik-sorulan-sorular
    pomoshch dostavka oplata voprosy
    guide shopping-guide goriyou-guide
"""
_CONTACT = """
    contact contacts contact-us contactus contact-sales contact-support contact-form get-in-touch
    talk-to-us talk-to-sales reach-us write-to-us find-us where-to-find-us find-a-store store-finder
    store-locator stores-near-you our-stores branches locations feedback complaints
    report-a-problem request-a-quote enquiry enquiries request-demo book-a-demo demo-request
    kontakt kontaktformular kontaktieren-sie-uns filialfinder filialen standorte ansprechpartner
    contactez-nous nous-contacter nos-magasins trouver-un-magasin magasins
    contacto contactar contactenos contactanos tiendas encuentra-tu-tienda
    contato fale-conosco contacte-nos lojas
    contatti contattaci negozi trova-negozio dove-siamo
    contacteer-ons neem-contact-op winkels vind-een-winkel
    kontakty kontakta-oss kontakt-oss kontakt-os ota-yhteytta yhteystiedot hitta-butik
    kapcsolat iletisim toiawase inquiry otoiawase
"""
_ABOUT = """
    about about-us aboutus who-we-are our-story our-company company team our-team the-team
    meet-the-team leadership management board-of-directors board governance history our-history
    mission our-mission vision values our-values our-people investors investor-relations press
    press-office press-room newsroom media-centre media-center sustainability responsibility
    our-partners partners awards what-we-do
    ueber-uns uber-uns wir-ueber-uns unternehmen das-unternehmen firma leitbild geschichte presse
    nachhaltigkeit vorstand unser-team
    a-propos a-propos-de-nous qui-sommes-nous notre-histoire entreprise l-entreprise equipe
    notre-equipe
    quienes-somos sobre-nosotros acerca-de nosotros nuestra-historia empresa la-empresa equipo
    quem-somos sobre sobre-nos equipe-br nossa-historia
    chi-siamo azienda la-nostra-storia su-di-noi il-team
    over-ons over wie-zijn-wij ons-team bedrijf
    o-nas o-firmie om-oss om-os om foretaget meista tietoa-meista yritys kdo-jsme rolunk
    hakkimizda kurumsal o-kompanii kaisha gaiyou kaisya company-profile
"""
_LOGIN = """
    login log-in logon signin sign-in signon sso logout log-out signout sign-out register
    registration signup sign-up join create-account new-account account my-account
    myaccount profile-settings
    account-settings settings preferences dashboard forgot-password forgotten-password
    forgot lost-password reset-password password-reset change-password password recover
    verify-email activate subscribe unsubscribe subscription newsletter newsletter-signup
    my-orders orders order-history my-bookings bookings my-profile my-page mypage saved-searches
    saved favorites favourites members-area member-login patient-portal customer-portal portal
    wp-login wp-admin admin administrator backend user-login auth authorize oauth
    anmelden anmeldung einloggen abmelden registrieren registrierung mein-konto konto kundenkonto
    passwort-vergessen merkliste
    connexion se-connecter deconnexion inscription s-inscrire mon-compte compte espace-client
    mot-de-passe-oublie
    iniciar-sesion acceso acceder registro registrarse mi-cuenta cuenta olvide-mi-contrasena
    entrar cadastro cadastre-se minha-conta conta esqueci-minha-senha
    accedi accesso registrati registrazione il-mio-account mio-account area-clienti
    inloggen aanmelden registreren mijn-account wachtwoord-vergeten
    logowanie zaloguj zaloguj-sie rejestracja moje-konto konto-klienta
    logga-in mina-sidor logg-inn log-ind min-side min-konto kirjaudu omat-tiedot rekisteroidy
    prihlaseni prihlasit registrace bejelentkezes regisztracio giris uye-ol hesabim
    vhod registratsiya lichnyj-kabinet kabinet
"""
_CART = """
    cart shopping-cart my-cart view-cart basket shopping-basket bag shopping-bag checkout wishlist
    wish-list my-wishlist compare comparison order payment
    warenkorb einkaufswagen kasse merkzettel wunschliste bestellung
    panier mon-panier commande paiement liste-de-souhaits favoris caisse
    carrito cesta cesta-de-la-compra mi-carrito pagar tramitar-pedido lista-de-deseos
    carrinho sacola finalizar-compra lista-de-desejos
    carrello cassa lista-dei-desideri pagamento
    winkelwagen winkelmand winkelmandje afrekenen verlanglijst
    koszyk zamowienie schowek lista-zyczen
    varukorg kassa handlekurv kurv indkobskurv onskeliste ostoskori kosik kosar sepet sepetim
    korzina kago
"""
_SEARCH = """
    search search-results searchresults advanced-search site-search find results query
    suche suchergebnisse suchen erweiterte-suche recherche rechercher resultats-de-recherche
    buscar busqueda buscador resultados busca pesquisa pesquisar cerca ricerca risultati
    zoeken zoekresultaten szukaj wyszukiwarka wyniki-wyszukiwania sok sokresultat sog sogning haku
    hledat vyhledavani kereses arama ara poisk kensaku
"""
_FEED = """
    feed feeds rss rss2 atom rss-feed feed-rss rss-feeds feed-xml rss-xml atom-xml index-xml
    feed-json sitemap-xml
"""
_LISTING = """
    blog news newsroom-archive articles stories journal magazine posts archive archives latest
    new-arrivals bestsellers best-sellers sale offers deals clearance outlet shop store products
    all-products catalog catalogue categories collections collection brands events calendar
    whats-on jobs careers vacancies open-positions opportunities courses programmes programs
    projects portfolio case-studies customers publications resources downloads videos gallery
    galleries photos podcasts recipes tags topics authors members users people staff directory
    forum forums community discussions questions threads issues releases press-releases
    testimonials-archive exhibitions datasets trending popular top explore browse index-of
    genres themes destinations hotels listings properties
    aktuelles neuigkeiten nachrichten meldungen beitraege archiv veranstaltungen termine kalender
    stellenangebote karriere produkte sortiment kategorien marken angebote neuheiten downloads-de
    pressemitteilungen mediathek projekte referenzen
    actualites articles-fr evenements agenda produits boutique catalogue-fr nouveautes promotions
    soldes marques emplois offres-d-emploi communiques publications-fr
    noticias eventos productos tienda ofertas rebajas novedades marcas empleo proyectos
    produtos loja promocoes novidades vagas projetos
    notizie novita prodotti negozio offerte saldi marche eventi lavora-con-noi progetti
    nieuws artikelen producten aanbiedingen merken evenementen vacatures projecten
    aktualnosci produkty promocje nowosci kategorie wydarzenia kariera sklep
    nyheter produkter evenemang kampanjer tilbud arrangementer uutiset tuotteet tapahtumat
    novinky akce kariera-cz hirek termekek haberler urunler novosti katalog
    rubrik rubrique seccion sezione
"""
_DOCUMENTATION = """
    docs documentation developers developer developer-docs api api-docs api-reference
    reference changelog release-notes releasenotes whats-new-in roadmap quickstart quick-start
    getting-started installation install readme tutorial tutorials user-manual manual manuals
    genindex modindex py-modindex glossary specification specs sdk cli dokumentation handbuch
    anleitung
    anleitungen documentation-technique documentacion guia-de-inicio documentacao documentazione
    documentatie handleiding dokumentacja
"""
_PAGE = """
    pricing plans plans-and-pricing features product-tour tour integrations solutions services
    security enterprise why-us use-cases trial free-trial demo donate volunteer membership
    alumni testimonials reviews
"""
_MEDIA = "slideshow livestream live-stream webcam webcams photo-gallery picture-gallery showreel"
_FILE = "download downloads-page telechargement descargar baixar scarica herunterladen"
_PRODUCT = "gift-cards gift-card gift-vouchers giftcards tickets geschenkgutscheine gutscheine"
_HOME = "main-page mainpage hauptseite accueil startseite start home homepage index default main"

_UTILITY_LISTINGS = """
    sitemap site-map site-index html-sitemap plan-du-site plan-de-site mapa-del-sitio mapa-do-site
    mapa-web mappa-del-sito mapa-strony seitenuebersicht inhaltsverzeichnis sidkarta webbkarta
"""
_UTILITY_PAGES = """
    status system-status 404 500 403 error not-found page-not-found access-denied maintenance
    coming-soon thank-you thanks danke merci gracias confirmation redirect print share embed
    offline test preview verify book-appointment book-an-appointment book-now
"""


def _compact(words: str) -> list[str]:
    return [word.replace("-", "") for word in words.split()]


_BY_TYPE: Final = {
    PageType.HOME: _HOME,
    PageType.LISTING: _LISTING,
    PageType.DOCUMENTATION: _DOCUMENTATION,
    PageType.PAGE: _PAGE,
    PageType.MEDIA: _MEDIA,
    PageType.FILE: _FILE,
    PageType.PRODUCT: _PRODUCT,
    PageType.ABOUT: _ABOUT,
    PageType.CONTACT: _CONTACT,
    PageType.HELP: _HELP,
    PageType.LEGAL: _LEGAL,
    PageType.LOGIN: _LOGIN,
    PageType.CART: _CART,
    PageType.SEARCH: _SEARCH,
    PageType.FEED: _FEED,
}

SLUG_RULES: Final = MappingProxyType(
    {
        word: SlugRule(page_type, CATEGORY_OF[page_type])
        for page_type, words in _BY_TYPE.items()
        for word in _compact(words)
    }
    | {word: SlugRule(PageType.LISTING, Category.UTILITY) for word in _compact(_UTILITY_LISTINGS)}
    | {word: SlugRule(PageType.PAGE, Category.UTILITY) for word in _compact(_UTILITY_PAGES)}
)
HOME_WORDS: Final = frozenset(_compact(_HOME))
LONGEST_SLUG: Final = max(map(len, SLUG_RULES))
LONGEST_NUMBERED_SLUG: Final = max(len(word) for word in SLUG_RULES if word[-1].isdigit())
