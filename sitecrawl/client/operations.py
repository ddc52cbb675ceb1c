"""The operations of the API, made from docs/openapi.json; do not edit, but ``make openapi``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NotRequired, TypedDict
from urllib.parse import quote


class AnswerAnswer(TypedDict):
    kind: AnswerKind
    text: str
    citations: list[CitationAnswer]
    conversationId: int
    turnId: int
    model: str
    notice: str
    unsupported: list[UnsupportedAnswer]

AnswerKind = Literal["extractive", "model", "not_found"]


class Attempt(TypedDict):
    number: int
    startedAt: str
    elapsedMs: int
    code: int | None
    answer: str
    error: str | None


class AuditEntry(TypedDict):
    id: int
    userId: int | None
    actor: str
    action: str
    detail: dict[str, Any]
    address: str
    occurredAt: str


class AuditList(TypedDict):
    entries: list[AuditEntry]
    nextBefore: int | None

BulkAction = Literal["enable", "disable", "delete", "group", "tag", "untag"]


class BulkAnswer(TypedDict):
    done: list[int]
    failed: dict[str, str]


class BulkRequest(TypedDict):
    action: BulkAction | Literal["scan"]
    ids: list[int]
    groupId: NotRequired[int | None]
    tags: NotRequired[list[str]]


class Change(TypedDict):
    """One difference between two scans."""

    id: int
    scanId: int
    eventId: int | None
    type: ChangeKind
    detail: str
    pageId: str | None
    url: str | None
    otherUrl: str | None
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    evidence: dict[str, Any]
    confidence: float
    severity: Severity
    isSilent: bool
    status: str
    assignee: str | None
    note: str | None
    source: NotRequired[str]
    occurredAt: str


class ChangeCounts(TypedDict):
    added: int
    removed: int
    updated: int


class ChangeEdit(TypedDict):
    status: NotRequired[Literal["open", "closed"] | None]
    assignee: NotRequired[str | None]
    note: NotRequired[str | None]

ChangeKind = Literal["added", "removed", "unlisted", "returned", "moved", "updated", "source_changed", "robots_changed", "sitemap_changed", "site_moved"]


class ChangeList(TypedDict):
    changes: list[Change]
    nextCursor: str | None


class ChangesEdit(TypedDict):
    status: NotRequired[Literal["open", "closed"] | None]
    assignee: NotRequired[str | None]
    note: NotRequired[str | None]
    ids: list[int]


class ChannelAnswer(TypedDict):
    id: int
    type: ChannelKind
    name: str
    target: str
    secret: str | None
    siteId: int | None
    groupId: int | None
    scope: str
    rules: dict[str, Any]
    enabled: bool
    disabledReason: str | None
    snoozedUntil: str | None
    failures: int
    createdAt: str
    updatedAt: str

ChannelKind = Literal["webhook", "email", "slack", "discord", "teams", "apprise"]


class ChannelList(TypedDict):
    channels: list[ChannelAnswer]


class ChannelRequest(TypedDict):
    type: ChannelKind
    target: str
    secret: NotRequired[str]
    name: NotRequired[str]
    rules: NotRequired[dict[str, Any]]


class ChannelRequestAnywhere(TypedDict):
    type: ChannelKind
    target: str
    secret: NotRequired[str]
    name: NotRequired[str]
    rules: NotRequired[dict[str, Any]]
    siteId: NotRequired[int | None]
    groupId: NotRequired[int | None]


class ChannelUpdate(TypedDict):
    """What is not given stays as it is."""

    name: NotRequired[str | None]
    target: NotRequired[str | None]
    rules: NotRequired[dict[str, Any] | None]
    enabled: NotRequired[bool | None]
    snoozedUntil: NotRequired[str | None]
    siteId: NotRequired[int | None]
    groupId: NotRequired[int | None]


class ChosenWorkspace(TypedDict):
    workspaceId: int


class CitationAnswer(TypedDict):
    label: str
    passageId: int
    pageId: str
    url: str
    link: str
    title: str
    headings: list[str]
    quote: str
    filePage: NotRequired[int | None]


class ClickStep(TypedDict):
    url: str
    source: str | None
    region: str | None
    anchor: str | None


class Closing(TypedDict):
    note: NotRequired[str | None]


class CompetingPage(TypedDict):
    url: str
    other: str
    cosine: float
    words: str


class ConfirmedRemovals(TypedDict):
    pages: int


class ConversationAnswer(TypedDict):
    id: int
    title: str
    createdAt: str
    turns: int


class ConversationDetail(TypedDict):
    id: int
    turns: list[TurnAnswer]


class ConversationList(TypedDict):
    conversations: list[ConversationAnswer]


class Coverage(TypedDict):
    """How complete the crawl of the scan was."""

    scanId: int
    scanStatus: str
    known: int
    visited: int
    failed: int
    held: int
    waiting: int
    sitemaps: int
    hasCrawled: bool
    isWhole: bool
    ended: str
    limits: list[dict[str, Any]]


class Credentials(TypedDict):
    email: str
    password: str


class CronAnswer(TypedDict):
    sitesChecked: int
    queued: int
    results: list[CronResult]


class CronResult(TypedDict):
    siteId: int
    jobId: int
    scanId: int | None
    status: JobStatus


class CurrentUser(TypedDict):
    """Who is calling, and what they may do."""

    id: int
    email: str
    name: str
    workspaceId: int
    role: Role
    permissions: list[Permission]
    sessionId: int | None
    tokenId: int | None


class DeliveryAnswer(TypedDict):
    id: int
    channelId: int
    channelName: str
    channelKind: ChannelKind
    targetLabel: str
    purpose: DeliveryPurpose
    messageId: str
    title: str
    replayOf: int | None
    status: DeliveryStatus
    attempts: int
    nextAttemptAt: str | None
    createdAt: str
    finishedAt: str | None
    log: list[Attempt]


class DeliveryDetail(TypedDict):
    id: int
    channelId: int
    channelName: str
    channelKind: ChannelKind
    targetLabel: str
    purpose: DeliveryPurpose
    messageId: str
    title: str
    replayOf: int | None
    status: DeliveryStatus
    attempts: int
    nextAttemptAt: str | None
    createdAt: str
    finishedAt: str | None
    log: list[Attempt]
    request: dict[str, Any] | None


class DeliveryList(TypedDict):
    deliveries: list[DeliveryAnswer]
    nextBefore: int | None

DeliveryPurpose = Literal["news", "test", "alert"]

DeliveryStatus = Literal["pending", "sent", "failed", "cancelled"]


class Diff(TypedDict):
    before: ScanSummary
    after: ScanSummary
    summary: ChangeCounts
    pages: list[PageDifference]
    isTruncated: bool


class DiffItem(TypedDict):
    type: str
    detail: str
    occurredAt: str


class DiveAnswer(TypedDict):
    id: int
    jobId: int | None
    scanId: int | None
    wanted: dict[str, Any]
    status: DiveStatus
    reason: str | None
    counts: DiveCounts
    startedAt: str
    finishedAt: str | None


class DiveCounts(TypedDict):
    pages: NotRequired[int]
    toFetch: NotRequired[int]
    fetched: NotRequired[int]
    read: NotRequired[int]
    unchanged: NotRequired[int]
    withoutBody: NotRequired[int]
    withoutText: NotRequired[int]
    otherLanguage: NotRequired[int]
    files: NotRequired[int]
    filesLeftOut: NotRequired[int]
    filesEncrypted: NotRequired[int]
    filesDamaged: NotRequired[int]
    filesTooLarge: NotRequired[int]
    filesTooSlow: NotRequired[int]
    passages: NotRequired[int]
    embedded: NotRequired[int]
    removed: NotRequired[int]


class DiveList(TypedDict):
    dives: list[DiveAnswer]
    nextCursor: str | None
    searchablePages: int
    searchablePassages: int

DiveStatus = Literal["queued", "running", "finished", "partial", "failed", "cancelled"]


class Document(TypedDict):
    """One thing that was fetched and mentions URLs."""

    id: int
    url: str
    kind: str
    format: str | None
    depth: int
    foundBy: str
    firstScanId: int
    goneScanId: int | None
    entries: int | None
    etag: str | None
    lastModified: str | None
    outcome: str | None
    status: int | None
    error: str | None
    contentType: str | None
    receivedBytes: int | None
    elapsedMs: int | None
    fetchedAt: str | None
    finalUrl: str | None
    truncated: bool | None

DocumentKind = Literal["robots_txt", "sitemap", "page", "probe", "resource"]


class DocumentList(TypedDict):
    documents: list[Document]
    nextCursor: str | None


class Event(TypedDict):
    """Changes that belong together, as a person would tell them."""

    id: int
    scanId: int
    incidentId: int | None
    kind: EventKind
    severity: Severity
    title: str
    pages: int
    importantPages: int
    detail: dict[str, Any]
    isSilent: bool
    occurredAt: str

EventKind = Literal["added", "removed", "unlisted", "returned", "moved", "site_moved", "broken", "repaired", "redirected", "noindex", "indexable", "updated", "lastmod", "source_changed", "robots_changed", "sitemap_changed", "inventory_collapsed", "rebaselined", "incident_closed"]


class EventList(TypedDict):
    events: list[Event]
    nextCursor: str | None


class Evidence(TypedDict):
    id: int
    type: str
    content: str
    metadata: dict[str, Any]
    confidence: float
    createdAt: str
    documentUrl: str | None


class EvidenceList(TypedDict):
    evidence: list[Evidence]
    nextCursor: str | None

ExportFormat = Literal["text", "jsonl", "json", "csv", "xlsx", "parquet"]


class FacetValue(TypedDict):
    value: str | bool | float | None
    pages: int


class FindingList(TypedDict):
    findings: list[dict[str, Any]]


class FolderAnswer(TypedDict):
    name: str
    listed: int
    refused: int
    folders: list[FolderAnswer]


class Gap(TypedDict):
    question: str
    asked: int
    lastAskedAt: str


class GapList(TypedDict):
    gaps: list[Gap]

GraphFormat = Literal["graphml", "csv"]


class Group(TypedDict):
    id: int
    name: str
    color: str
    description: str
    sites: int
    createdAt: str
    updatedAt: str


class GroupChange(TypedDict):
    name: NotRequired[str | None]
    color: NotRequired[str | None]
    description: NotRequired[str | None]


class GroupList(TypedDict):
    groups: list[Group]


class GroupRequest(TypedDict):
    name: str
    color: NotRequired[str]
    description: NotRequired[str]


class Health(TypedDict):
    status: str
    version: str


class HitAnswer(TypedDict):
    passageId: int
    pageId: str
    url: str
    link: str
    title: str
    headings: list[str]
    text: str
    language: str
    published: str
    format: str
    filePage: int | None
    score: ScoreAnswer


class HitList(TypedDict):
    hits: list[HitAnswer]


class ImportAnswer(TypedDict):
    ok: NotRequired[bool]
    imported: int
    results: list[ImportedSite]


class ImportRequest(TypedDict):
    csv: NotRequired[str]

ImportStatus = Literal["imported", "duplicate", "invalid"]


class ImportedSite(TypedDict):
    line: int
    rootUrl: str
    status: Literal["success", "skipped"]
    outcome: ImportStatus
    siteId: int | None
    message: str


class Incident(TypedDict):
    """An event that needs attention until it is closed."""

    id: int
    kind: EventKind
    severity: Severity
    title: str
    status: str
    openedScanId: int
    lastScanId: int
    closedScanId: int | None
    openedAt: str
    closedAt: str | None
    snoozedUntil: str | None
    assignee: str | None
    note: str | None


class IncidentEdit(TypedDict):
    assignee: NotRequired[str | None]
    note: NotRequired[str | None]


class IncidentList(TypedDict):
    incidents: list[Incident]
    nextCursor: str | None


class JobAnswer(TypedDict):
    id: int
    siteId: int
    siteName: str
    rootUrl: str
    kind: JobKind
    trigger: JobTrigger
    status: JobStatus
    reason: str | None
    priority: int
    attempt: int
    retryOf: int | None
    scanId: int | None
    worker: str | None
    queuedAt: str
    notBefore: str | None
    startedAt: str | None
    finishedAt: str | None
    cancelRequestedAt: str | None
    exitCode: int | None


class JobDetail(TypedDict):
    id: int
    siteId: int
    siteName: str
    rootUrl: str
    kind: JobKind
    trigger: JobTrigger
    status: JobStatus
    reason: str | None
    priority: int
    attempt: int
    retryOf: int | None
    scanId: int | None
    worker: str | None
    queuedAt: str
    notBefore: str | None
    startedAt: str | None
    finishedAt: str | None
    cancelRequestedAt: str | None
    exitCode: int | None
    logTail: str | None

JobKind = Literal["discover", "scan", "dive"]


class JobList(TypedDict):
    jobs: list[JobAnswer]
    nextCursor: str | None


class JobProgress(TypedDict):
    job: JobAnswer
    progress: Progress | None

JobStatus = Literal["queued", "running", "success", "partial", "failed", "cancelled", "interrupted", "skipped"]

JobTrigger = Literal["schedule", "person", "added", "root_changed", "retry"]

ListFormat = Literal["text", "csv", "json"]


class MappedPage(TypedDict):
    pageId: str
    url: str
    title: str
    topicId: int
    x: float
    y: float


class Mention(TypedDict):
    """One document that names the page."""

    documentUrl: str
    documentKind: str
    foundBy: str
    source: str
    lastmod: str | None
    region: str | None
    anchor: str | None
    rel: str | None
    path: str | None
    isCurrent: bool
    scanId: int
    lastSeenScanId: int
    fetchedAt: str | None
    lastSeenAt: str | None
    goneScanId: int | None
    droppedScanId: int | None


class MentionCount(TypedDict):
    isCurrent: bool
    source: str
    region: str | None
    mentions: int


class Menu(TypedDict):
    entries: list[MenuEntry]


class MenuEntry(TypedDict):
    level: int
    title: str
    url: str
    region: str
    status: PageStatus


class MonitorAnswer(TypedDict):
    workers: list[WorkerAnswer]
    isScheduling: bool
    jobs: dict[str, int]
    waiting: dict[str, int]


class NewPassword(TypedDict):
    currentPassword: str
    newPassword: str


class NewToken(TypedDict):
    id: int
    userId: int
    name: str
    scopes: list[Permission]
    createdAt: str
    expiresAt: str | None
    lastUsedAt: str | None
    token: str


class NewUser(TypedDict):
    id: int
    email: str
    name: str
    role: Role
    createdAt: str
    lastLoginAt: str | None
    disabledAt: str | None
    passwordLink: str | None


class Page(TypedDict):
    """A row of the inventory."""

    id: str
    url: str
    key: str
    status: PageStatus
    reason: str | None
    rule: str | None
    source: str | None
    sources: list[str]
    region: str | None
    anchor: str | None
    parent: str | None
    title: str | None
    lastmod: str | None
    changefreq: str | None
    sitemapPriority: float | None
    importance: float | None
    inlinks: int | None
    depth: int | None
    clusters: list[str]
    category: str | None
    type: str | None
    template: str | None
    language: str | None
    languageSource: str | None
    otherLanguage: bool | None
    priority: float | None
    fileKind: str | None
    discoveredAt: str | None
    robotsAllowed: bool | None
    robotsRule: str | None
    visited: bool
    clicks: int | None
    httpStatus: int | None
    contentType: str | None
    canonical: str | None
    duplicateOf: str | None


class PageCount(TypedDict):
    pages: int
    isMore: bool


class PageDifference(TypedDict):
    kind: str
    url: str
    before: dict[str, Any]
    after: dict[str, Any]


class PageFacets(TypedDict):
    pages: int
    facets: dict[str, list[FacetValue]]


class PageLink(TypedDict):
    url: str
    pageId: str
    kind: str | None
    reason: str | None
    source: str
    region: str | None
    anchor: str | None
    rel: str | None


class PageLinks(TypedDict):
    links: list[PageLink]
    nextCursor: str | None


class PageList(TypedDict):
    pages: list[Page]
    nextCursor: str | None


class PageParameters(TypedDict):
    """Which pages: the listed ones, unless more is said."""

    status: NotRequired[PageStatus | None]
    refused: NotRequired[bool]
    reason: NotRequired[Reason | None]
    source: NotRequired[str]
    region: NotRequired[str]
    contains: NotRequired[str]
    search: NotRequired[str]
    text: NotRequired[str]
    prefix: NotRequired[str]
    pattern: NotRequired[str]
    template: NotRequired[str]
    category: NotRequired[str]
    type: NotRequired[str]
    language: NotRequired[str]
    cluster: NotRequired[str]
    minDepth: NotRequired[int | None]
    maxDepth: NotRequired[int | None]
    maxClicks: NotRequired[int | None]
    minPriority: NotRequired[float | None]
    maxPriority: NotRequired[float | None]
    httpStatus: NotRequired[str]
    visited: NotRequired[bool | None]
    robotsAllowed: NotRequired[bool | None]
    indexable: NotRequired[bool | None]
    orphan: NotRequired[bool | None]
    lastmodSince: NotRequired[str | None]
    lastmodBefore: NotRequired[str | None]
    firstSeenSince: NotRequired[str | None]
    firstSeenBefore: NotRequired[str | None]
    lastSeenSince: NotRequired[str | None]
    lastSeenBefore: NotRequired[str | None]
    changedSince: NotRequired[str | None]

PageSort = Literal["first_seen", "last_seen", "url", "title", "lastmod", "priority", "depth", "clicks", "template", "category", "type", "language", "source", "status", "reason", "http_status"]

PageStatus = Literal["listed", "refused", "broken"]


class PageWhy(TypedDict):
    """A page, and why it is on the list or refused."""

    id: str
    url: str
    status: PageStatus
    reason: str | None
    rule: str | None
    title: str | None
    language: str | None
    category: str | None
    lastmod: str | None
    changefreq: str | None
    sitemapPriority: float | None
    firstSeenAt: str | None
    firstScanId: int
    lastSeenScanId: int | None
    isMentioned: bool
    verdict: Verdict | None
    visit: Visit | None
    clickPath: list[ClickStep]
    mentions: list[Mention]
    mentionCounts: list[MentionCount]


class PasswordLink(TypedDict):
    url: str

Permission = Literal["read", "scan", "edit", "notify", "manage"]


class Progress(TypedDict):
    scanId: int
    status: str
    startedAt: str
    heartbeatAt: str
    fetched: int
    failed: int
    receivedBytes: int
    known: int
    visited: int
    lastUrl: str | None


class Question(TypedDict):
    question: str
    conversationId: NotRequired[int | None]


class QueuedScan(TypedDict):
    ok: NotRequired[bool]
    status: str
    jobId: int
    scanId: int | None

Reason = Literal["invalid_url", "scheme_not_allowed", "too_long", "offsite", "outside_base", "skipped_path", "skipped_file_type", "skipped_query", "blocked_by_robots", "route_pattern", "not_found", "soft_404", "redirected", "redirect_loop", "too_many_redirects", "other_canonical", "index_page", "trap_path", "trap_loop", "trap_calendar", "trap_facets", "trap_session", "trap_pagination", "trap_parameter"]


class Removals(TypedDict):
    scanId: int


class ReportAnswer(TypedDict):
    report: dict[str, Any]

ReportFormat = Literal["html", "json", "md", "csv", "xlsx"]


class Robots(TypedDict):
    files: list[RobotsFile]
    rules: list[RobotsRule]


class RobotsFile(TypedDict):
    documentId: int
    url: str
    outcome: str | None
    status: int | None
    fetchedAt: str | None
    text: str | None


class RobotsRule(TypedDict):
    robotsUrl: str | None
    allowed: bool
    reason: str
    rule: str | None
    line: int | None
    agents: str | None
    crawlDelay: float | None
    pages: int

Role = Literal["owner", "member", "viewer"]


class ScanDiff(TypedDict):
    scanId: int
    summary: ChangeCounts
    items: list[DiffItem]
    isTruncated: bool
    startedAt: str
    finishedAt: str | None


class ScanList(TypedDict):
    scans: list[ScanSummary]


class ScanSummary(TypedDict):
    """A scan; what it changed is known when it has been compared with the one before."""

    id: int
    status: str
    reason: str | None
    profile: str | None
    startedAt: str
    finishedAt: str | None
    totalUrls: int
    added: int
    removed: int
    updated: int


class ScoreAnswer(TypedDict):
    """`total = weight x meaning + (1 - weight) x words`."""

    total: float
    meaning: float
    words: float
    weight: float


class SessionAnswer(TypedDict):
    """One browser that is signed in."""

    id: int
    address: str
    userAgent: str
    createdAt: str
    lastUsedAt: str
    expiresAt: str
    isCurrent: bool


class SessionList(TypedDict):
    sessions: list[SessionAnswer]

Severity = Literal["info", "low", "medium", "high", "critical"]


class SimilarPage(TypedDict):
    pageId: str
    url: str
    cosine: float


class SimilarPages(TypedDict):
    pages: list[SimilarPage]


class Site(TypedDict):
    id: int
    rootUrl: str
    robotsUrl: str
    name: str
    tags: list[str]
    groupId: int | None
    groupName: str | None
    enabled: bool
    profile: str
    settings: dict[str, Any]
    scanPriority: int
    scanIntervalMinutes: int
    cron: str | None
    timezone: str
    owner: str | None
    workerTags: list[str]
    neededTags: list[str]
    nextDueAt: str | None
    lastScanId: int | None
    lastScanAt: str | None
    lastScanStatus: str | None
    pages: int | None
    activeJobId: int | None
    activeJobStatus: str | None
    createdAt: str
    updatedAt: str
    version: int


class SiteChange(TypedDict):
    """What is not given stays as it is."""

    rootUrl: NotRequired[str]
    name: NotRequired[str]
    tags: NotRequired[list[str]]
    groupId: NotRequired[int | None]
    enabled: NotRequired[bool]
    profile: NotRequired[str]
    settings: NotRequired[dict[str, Any]]
    scanPriority: NotRequired[int]
    scanIntervalMinutes: NotRequired[int]
    cron: NotRequired[str | None]
    timezone: NotRequired[str]
    owner: NotRequired[str | None]
    workerTags: NotRequired[list[str]]


class SiteDetail(TypedDict):
    site: Site
    summary: SiteSummary
    sitemaps: list[SitemapAnswer]
    recentScans: list[ScanSummary]
    recentChanges: list[Change]


class SiteList(TypedDict):
    sites: list[Site]
    total: int
    nextCursor: str | None


class SiteRequest(TypedDict):
    rootUrl: str
    name: NotRequired[str]
    tags: NotRequired[list[str]]
    groupId: NotRequired[int | None]
    enabled: NotRequired[bool]
    profile: NotRequired[str]
    settings: NotRequired[dict[str, Any]]
    scanPriority: NotRequired[int]
    scanIntervalMinutes: NotRequired[int]
    cron: NotRequired[str | None]
    timezone: NotRequired[str]
    owner: NotRequired[str | None]
    workerTags: NotRequired[list[str]]

SiteSort = Literal["added", "name", "url", "priority", "last_scan", "next_due"]

SiteState = Literal["enabled", "disabled", "queued", "running", "failing", "new"]


class SiteSummary(TypedDict):
    totalUrls: int
    activeUrls: int
    inactiveUrls: int


class SitemapAnswer(TypedDict):
    id: int
    url: str
    isIndex: bool
    urlCounts: UrlCounts
    lastStatus: int | None
    lastOutcome: str | None
    etag: str | None
    lastModified: str | None


class Snooze(TypedDict):
    until: str | None


class TagCounts(TypedDict):
    tags: dict[str, int]


class TestAnswer(TypedDict):
    ok: bool
    deliveries: list[DeliveryAnswer]


class Token(TypedDict):
    """What is known of a token; its text is shown when it is made."""

    id: int
    userId: int
    name: str
    scopes: list[Permission]
    createdAt: str
    expiresAt: str | None
    lastUsedAt: str | None


class TokenList(TypedDict):
    tokens: list[Token]


class TokenRequest(TypedDict):
    name: str
    scopes: list[Permission]
    expiresInDays: NotRequired[int | None]


class Topic(TypedDict):
    id: int
    name: str
    pages: int


class Topics(TypedDict):
    topics: list[Topic]
    pages: list[MappedPage]
    competing: list[CompetingPage]


class Tree(TypedDict):
    hosts: list[FolderAnswer]


class TurnAnswer(TypedDict):
    """A question with its answer."""

    id: int
    question: str
    answer: str
    kind: AnswerKind
    model: str | None
    citations: list[CitationAnswer]
    unsupported: list[UnsupportedAnswer]
    askedAt: str


class UnsupportedAnswer(TypedDict):
    """A sentence of a model whose words do not stand in the sources that it names."""

    text: str
    missing: list[str]


class UrlCounts(TypedDict):
    total: int
    active: int
    inactive: int


class User(TypedDict):
    id: int
    email: str
    name: str
    role: Role
    createdAt: str
    lastLoginAt: str | None
    disabledAt: str | None


class UserChange(TypedDict):
    role: NotRequired[Role | None]
    name: NotRequired[str | None]
    disabled: NotRequired[bool | None]


class UserList(TypedDict):
    users: list[User]


class UserRequest(TypedDict):
    email: str
    role: NotRequired[Role]
    name: NotRequired[str]


class Verdict(TypedDict):
    """What robots.txt says, with the line that decides."""

    robotsUrl: str | None
    allowed: bool
    reason: str
    rule: str | None
    line: int | None
    agents: str | None
    crawlDelay: float | None
    confidence: float
    decidedAt: str


class View(TypedDict):
    id: int
    userId: int
    kind: ViewKind
    name: str
    query: dict[str, Any]
    isShared: bool
    createdAt: str
    updatedAt: str


class ViewChange(TypedDict):
    name: NotRequired[str | None]
    query: NotRequired[dict[str, Any] | None]
    isShared: NotRequired[bool | None]

ViewKind = Literal["pages", "sites", "changes", "events", "jobs"]


class ViewList(TypedDict):
    views: list[View]


class ViewRequest(TypedDict):
    kind: ViewKind
    name: str
    query: dict[str, Any]
    isShared: NotRequired[bool]


class Visit(TypedDict):
    scanId: int
    clicks: int
    outcome: str | None
    status: int | None
    contentType: str | None
    error: str | None
    title: str | None
    canonical: str | None
    duplicateOf: str | None
    redirects: list[str]
    finalUrl: str | None
    directives: list[str]
    fetchedAt: str | None


class WorkerAnswer(TypedDict):
    name: str
    hostname: str
    isScheduler: bool
    capacity: int
    tags: list[str]
    running: int
    isDraining: bool
    startedAt: str
    heartbeatAt: str


class WorkspaceAnswer(TypedDict):
    id: int
    name: str
    role: Role


class WorkspaceList(TypedDict):
    workspaces: list[WorkspaceAnswer]


class WorkspaceProgress(TypedDict):
    counts: dict[str, int]
    jobs: list[JobProgress]


class Operations:
    """A method for each operation; :class:`sitecrawl.client.Client` sends them."""

    def _json(self, *arguments: Any, **options: Any) -> Any:
        raise NotImplementedError

    def _bytes(self, *arguments: Any, **options: Any) -> bytes:
        raise NotImplementedError

    def _nothing(self, *arguments: Any, **options: Any) -> None:
        raise NotImplementedError

    def _events(self, *arguments: Any, **options: Any) -> Iterator[tuple[str, str, Any]]:
        raise NotImplementedError

    def export_sites(
        self,
        *,
        full: bool | None = None,
        search: str | None = None,
        tag: Sequence[str] | None = None,
        group: int | None = None,
        state: SiteState | None = None,
        without_group: bool | None = None,
    ) -> bytes:
        """The sites as a table."""
        return self._bytes(
            "GET",
            "/api/sites/export.csv",
            {"full": full, "search": search, "tag": tag, "group": group, "state": state, "withoutGroup": without_group},
            {},
        )

    def export_sites_json(
        self,
        *,
        search: str | None = None,
        tag: Sequence[str] | None = None,
        group: int | None = None,
        state: SiteState | None = None,
        without_group: bool | None = None,
    ) -> bytes:
        """The sites with all that an import takes."""
        return self._bytes(
            "GET",
            "/api/sites/export.json",
            {"search": search, "tag": tag, "group": group, "state": state, "withoutGroup": without_group},
            {},
        )

    def import_sites(
        self,
        body: ImportRequest,
        *,
        idempotency_key: str | None = None,
    ) -> ImportAnswer:
        """Watch many sites: a file in a form, or JSON with the text of one."""
        return self._json(  # type: ignore[no-any-return]
            "POST",
            "/api/sites/import",
            {},
            {"Idempotency-Key": idempotency_key},
            body=body,
        )

    def change_sites(
        self,
        body: BulkRequest,
        *,
        idempotency_key: str | None = None,
    ) -> BulkAnswer:
        """Enable, disable, delete, group, tag, untag or scan many sites, one after another."""
        return self._json(  # type: ignore[no-any-return]
            "POST",
            "/api/sites/bulk",
            {},
            {"Idempotency-Key": idempotency_key},
            body=body,
        )

    def list_sites(
        self,
        *,
        sort: SiteSort | None = None,
        order: Literal["asc", "desc"] | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        search: str | None = None,
        tag: Sequence[str] | None = None,
        group: int | None = None,
        state: SiteState | None = None,
        without_group: bool | None = None,
    ) -> SiteList:
        """The sites of the workspace, the newest first unless told otherwise."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            "/api/sites",
            {"sort": sort, "order": order, "cursor": cursor, "limit": limit, "search": search, "tag": tag, "group": group, "state": state, "withoutGroup": without_group},
            {},
        )

    def create_site(
        self,
        body: SiteRequest,
        *,
        idempotency_key: str | None = None,
    ) -> Site:
        """Watch a site; its first scan is queued at once."""
        return self._json(  # type: ignore[no-any-return]
            "POST",
            "/api/sites",
            {},
            {"Idempotency-Key": idempotency_key},
            body=body,
        )

    def list_tags(
        self,
    ) -> TagCounts:
        """Every tag that is in use, with the number of its sites."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            "/api/sites/tags",
            {},
            {},
        )

    def get_site(
        self,
        site_id: int,
    ) -> SiteDetail:
        """A site with its sitemaps and its newest scans."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}",
            {},
            {},
        )

    def update_site(
        self,
        site_id: int,
        body: SiteChange,
        *,
        if_match: str | None = None,
    ) -> Site:
        """Change what is given; with `If-Match` only if nobody else has changed it since."""
        return self._json(  # type: ignore[no-any-return]
            "PATCH",
            f"/api/sites/{quote(str(site_id), safe='')}",
            {},
            {"if-match": if_match},
            body=body,
        )

    def delete_site(
        self,
        site_id: int,
    ) -> None:
        """Remove the site with its inventory, scans, changes and channels."""
        return self._nothing(
            "DELETE",
            f"/api/sites/{quote(str(site_id), safe='')}",
            {},
            {},
        )

    def scan_site(
        self,
        site_id: int,
        *,
        idempotency_key: str | None = None,
    ) -> QueuedScan:
        """Queue a scan ahead of what waits; `Location` is its job."""
        return self._json(  # type: ignore[no-any-return]
            "POST",
            f"/api/sites/{quote(str(site_id), safe='')}/scan",
            {},
            {"Idempotency-Key": idempotency_key},
        )

    def list_site_scans(
        self,
        site_id: int,
        *,
        limit: int | None = None,
    ) -> ScanList:
        """The newest first."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/scans",
            {"limit": limit},
            {},
        )

    def list_pages(
        self,
        site_id: int,
        *,
        status: PageStatus | None = None,
        refused: bool | None = None,
        reason: Reason | None = None,
        source: str | None = None,
        region: str | None = None,
        contains: str | None = None,
        search: str | None = None,
        text: str | None = None,
        prefix: str | None = None,
        pattern: str | None = None,
        template: str | None = None,
        category: str | None = None,
        type_: str | None = None,
        language: str | None = None,
        cluster: str | None = None,
        min_depth: int | None = None,
        max_depth: int | None = None,
        max_clicks: int | None = None,
        min_priority: float | None = None,
        max_priority: float | None = None,
        http_status: str | None = None,
        visited: bool | None = None,
        robots_allowed: bool | None = None,
        indexable: bool | None = None,
        orphan: bool | None = None,
        lastmod_since: str | None = None,
        lastmod_before: str | None = None,
        first_seen_since: str | None = None,
        first_seen_before: str | None = None,
        last_seen_since: str | None = None,
        last_seen_before: str | None = None,
        changed_since: str | None = None,
        scan: int | None = None,
        sort: PageSort | None = None,
        order: Literal["asc", "desc"] | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> PageList:
        """The pages of the site, in any order; `nextCursor` belongs to the order."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/pages",
            {"status": status, "refused": refused, "reason": reason, "source": source, "region": region, "contains": contains, "search": search, "text": text, "prefix": prefix, "pattern": pattern, "template": template, "category": category, "type": type_, "language": language, "cluster": cluster, "minDepth": min_depth, "maxDepth": max_depth, "maxClicks": max_clicks, "minPriority": min_priority, "maxPriority": max_priority, "httpStatus": http_status, "visited": visited, "robotsAllowed": robots_allowed, "indexable": indexable, "orphan": orphan, "lastmodSince": lastmod_since, "lastmodBefore": lastmod_before, "firstSeenSince": first_seen_since, "firstSeenBefore": first_seen_before, "lastSeenSince": last_seen_since, "lastSeenBefore": last_seen_before, "changedSince": changed_since, "scan": scan, "sort": sort, "order": order, "cursor": cursor, "limit": limit},
            {},
        )

    def count_pages(
        self,
        site_id: int,
        *,
        status: PageStatus | None = None,
        refused: bool | None = None,
        reason: Reason | None = None,
        source: str | None = None,
        region: str | None = None,
        contains: str | None = None,
        search: str | None = None,
        text: str | None = None,
        prefix: str | None = None,
        pattern: str | None = None,
        template: str | None = None,
        category: str | None = None,
        type_: str | None = None,
        language: str | None = None,
        cluster: str | None = None,
        min_depth: int | None = None,
        max_depth: int | None = None,
        max_clicks: int | None = None,
        min_priority: float | None = None,
        max_priority: float | None = None,
        http_status: str | None = None,
        visited: bool | None = None,
        robots_allowed: bool | None = None,
        indexable: bool | None = None,
        orphan: bool | None = None,
        lastmod_since: str | None = None,
        lastmod_before: str | None = None,
        first_seen_since: str | None = None,
        first_seen_before: str | None = None,
        last_seen_since: str | None = None,
        last_seen_before: str | None = None,
        changed_since: str | None = None,
        scan: int | None = None,
    ) -> PageCount:
        """How many there are; beyond 100,000 only that there are more."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/pages/count",
            {"status": status, "refused": refused, "reason": reason, "source": source, "region": region, "contains": contains, "search": search, "text": text, "prefix": prefix, "pattern": pattern, "template": template, "category": category, "type": type_, "language": language, "cluster": cluster, "minDepth": min_depth, "maxDepth": max_depth, "maxClicks": max_clicks, "minPriority": min_priority, "maxPriority": max_priority, "httpStatus": http_status, "visited": visited, "robotsAllowed": robots_allowed, "indexable": indexable, "orphan": orphan, "lastmodSince": lastmod_since, "lastmodBefore": lastmod_before, "firstSeenSince": first_seen_since, "firstSeenBefore": first_seen_before, "lastSeenSince": last_seen_since, "lastSeenBefore": last_seen_before, "changedSince": changed_since, "scan": scan},
            {},
        )

    def get_page_facets(
        self,
        site_id: int,
        *,
        status: PageStatus | None = None,
        refused: bool | None = None,
        reason: Reason | None = None,
        source: str | None = None,
        region: str | None = None,
        contains: str | None = None,
        search: str | None = None,
        text: str | None = None,
        prefix: str | None = None,
        pattern: str | None = None,
        template: str | None = None,
        category: str | None = None,
        type_: str | None = None,
        language: str | None = None,
        cluster: str | None = None,
        min_depth: int | None = None,
        max_depth: int | None = None,
        max_clicks: int | None = None,
        min_priority: float | None = None,
        max_priority: float | None = None,
        http_status: str | None = None,
        visited: bool | None = None,
        robots_allowed: bool | None = None,
        indexable: bool | None = None,
        orphan: bool | None = None,
        lastmod_since: str | None = None,
        lastmod_before: str | None = None,
        first_seen_since: str | None = None,
        first_seen_before: str | None = None,
        last_seen_since: str | None = None,
        last_seen_before: str | None = None,
        changed_since: str | None = None,
        scan: int | None = None,
    ) -> PageFacets:
        """How many of the pages have each status, source, category, template, ..."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/pages/facets",
            {"status": status, "refused": refused, "reason": reason, "source": source, "region": region, "contains": contains, "search": search, "text": text, "prefix": prefix, "pattern": pattern, "template": template, "category": category, "type": type_, "language": language, "cluster": cluster, "minDepth": min_depth, "maxDepth": max_depth, "maxClicks": max_clicks, "minPriority": min_priority, "maxPriority": max_priority, "httpStatus": http_status, "visited": visited, "robotsAllowed": robots_allowed, "indexable": indexable, "orphan": orphan, "lastmodSince": lastmod_since, "lastmodBefore": lastmod_before, "firstSeenSince": first_seen_since, "firstSeenBefore": first_seen_before, "lastSeenSince": last_seen_since, "lastSeenBefore": last_seen_before, "changedSince": changed_since, "scan": scan},
            {},
        )

    def explain_url(
        self,
        site_id: int,
        *,
        url: str,
        scan: int | None = None,
    ) -> PageWhy:
        """As `getPage`, by the URL as anybody would write it."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/pages/why",
            {"url": url, "scan": scan},
            {},
        )

    def get_page(
        self,
        site_id: int,
        page_id: str,
        *,
        scan: int | None = None,
    ) -> PageWhy:
        """A page: what names it, what robots.txt says, what its visit found, the way to it."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/pages/{quote(str(page_id), safe='')}",
            {"scan": scan},
            {},
        )

    def list_links_in(
        self,
        site_id: int,
        page_id: str,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        scan: int | None = None,
    ) -> PageLinks:
        """What names the page: links, sitemaps, feeds."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/pages/{quote(str(page_id), safe='')}/links-in",
            {"cursor": cursor, "limit": limit, "scan": scan},
            {},
        )

    def list_links_out(
        self,
        site_id: int,
        page_id: str,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        scan: int | None = None,
    ) -> PageLinks:
        """What the page links to, if it was visited."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/pages/{quote(str(page_id), safe='')}/links-out",
            {"cursor": cursor, "limit": limit, "scan": scan},
            {},
        )

    def list_documents(
        self,
        site_id: int,
        *,
        kind: DocumentKind | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        scan: int | None = None,
    ) -> DocumentList:
        """robots.txt, sitemaps, feeds and pages, with what came of their fetch."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/documents",
            {"kind": kind, "cursor": cursor, "limit": limit, "scan": scan},
            {},
        )

    def list_evidence(
        self,
        site_id: int,
        *,
        type_: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        scan: int | None = None,
    ) -> EvidenceList:
        """What the scan has recorded, such as `robots_txt` and `discovery_summary`."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/evidence",
            {"type": type_, "cursor": cursor, "limit": limit, "scan": scan},
            {},
        )

    def get_robots(
        self,
        site_id: int,
        *,
        scan: int | None = None,
    ) -> Robots:
        """Every robots.txt, and the rules that decide, with how many pages each is about."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/robots",
            {"scan": scan},
            {},
        )

    def get_tree(
        self,
        site_id: int,
        *,
        depth: int | None = None,
        scan: int | None = None,
    ) -> Tree:
        """The folders of the site, by host, with how many pages are in and below each."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/tree",
            {"depth": depth, "scan": scan},
            {},
        )

    def get_menu(
        self,
        site_id: int,
        *,
        scan: int | None = None,
    ) -> Menu:
        """The entries of the site's menu, in the order of the page."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/menu",
            {"scan": scan},
            {},
        )

    def get_coverage(
        self,
        site_id: int,
        *,
        scan: int | None = None,
    ) -> Coverage:
        """Get Coverage"""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/coverage",
            {"scan": scan},
            {},
        )

    def list_findings(
        self,
        site_id: int,
        *,
        scan: int | None = None,
    ) -> FindingList:
        """What is wrong with the site, by kind, with severity, pages and advice."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/findings",
            {"scan": scan},
            {},
        )

    def get_report(
        self,
        site_id: int,
        *,
        scan: int | None = None,
    ) -> ReportAnswer:
        """What a report says, as data; the fields are those of its JSON file."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/report",
            {"scan": scan},
            {},
        )

    def download_report(
        self,
        site_id: int,
        format_: ReportFormat,
        *,
        scan: int | None = None,
    ) -> bytes:
        """The report as a file; `csv` is a zip file of tables."""
        return self._bytes(
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/report.{quote(str(format_), safe='')}",
            {"scan": scan},
            {},
        )

    def download_links(
        self,
        site_id: int,
        format_: GraphFormat,
        *,
        region: str | None = None,
        refused: bool | None = None,
        external: bool | None = None,
        scan: int | None = None,
    ) -> bytes:
        """Who links to whom, as far as pages were visited."""
        return self._bytes(
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/links.{quote(str(format_), safe='')}",
            {"region": region, "refused": refused, "external": external, "scan": scan},
            {},
        )

    def download_orphans(
        self,
        site_id: int,
        format_: ListFormat,
        *,
        scan: int | None = None,
    ) -> bytes:
        """Pages that are in a sitemap, but not linked."""
        return self._bytes(
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/orphans.{quote(str(format_), safe='')}",
            {"scan": scan},
            {},
        )

    def download_unlisted(
        self,
        site_id: int,
        format_: ListFormat,
        *,
        scan: int | None = None,
    ) -> bytes:
        """Pages that are linked, but in no sitemap."""
        return self._bytes(
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/unlisted.{quote(str(format_), safe='')}",
            {"scan": scan},
            {},
        )

    def download_sitemap_diff(
        self,
        site_id: int,
        format_: ListFormat,
        *,
        scan: int | None = None,
    ) -> bytes:
        """What the site's own sitemaps should add and drop, each URL with its reason."""
        return self._bytes(
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/sitemap-diff.{quote(str(format_), safe='')}",
            {"scan": scan},
            {},
        )

    def download_sitemaps(
        self,
        site_id: int,
        *,
        base_url: str | None = None,
        scan: int | None = None,
    ) -> bytes:
        """XML sitemaps of the pages that belong there, ready to be served."""
        return self._bytes(
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/sitemaps.zip",
            {"baseUrl": base_url, "scan": scan},
            {},
        )

    def download_llms(
        self,
        site_id: int,
        *,
        title: str | None = None,
        summary: str | None = None,
        links_per_section: int | None = None,
        scan: int | None = None,
    ) -> bytes:
        """The main pages by section, for language models."""
        return self._bytes(
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/llms.txt",
            {"title": title, "summary": summary, "linksPerSection": links_per_section, "scan": scan},
            {},
        )

    def list_changes(
        self,
        site_id: int,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        type_: Sequence[ChangeKind | EventKind] | None = None,
        from_: str | None = None,
        to: str | None = None,
        scan: int | None = None,
        severity: Severity | None = None,
        status: Literal["open", "closed"] | None = None,
        event: int | None = None,
        silent: bool | None = None,
    ) -> ChangeList:
        """The newest first."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/changes",
            {"cursor": cursor, "limit": limit, "type": type_, "from": from_, "to": to, "scan": scan, "severity": severity, "status": status, "event": event, "silent": silent},
            {},
        )

    def download_changes(
        self,
        site_id: int,
        *,
        type_: Sequence[ChangeKind | EventKind] | None = None,
        from_: str | None = None,
        to: str | None = None,
        scan: int | None = None,
        severity: Severity | None = None,
        status: Literal["open", "closed"] | None = None,
        event: int | None = None,
        silent: bool | None = None,
    ) -> bytes:
        """Type, detail and time of every change, the oldest first."""
        return self._bytes(
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/changes.csv",
            {"type": type_, "from": from_, "to": to, "scan": scan, "severity": severity, "status": status, "event": event, "silent": silent},
            {},
        )

    def update_change(
        self,
        site_id: int,
        change_id: int,
        body: ChangeEdit,
    ) -> Change:
        """Assign it, note something, close it or open it again."""
        return self._json(  # type: ignore[no-any-return]
            "PATCH",
            f"/api/sites/{quote(str(site_id), safe='')}/changes/{quote(str(change_id), safe='')}",
            {},
            {},
            body=body,
        )

    def update_changes(
        self,
        site_id: int,
        body: ChangesEdit,
        *,
        idempotency_key: str | None = None,
    ) -> ChangeList:
        """The same for several at once: all of them or none."""
        return self._json(  # type: ignore[no-any-return]
            "POST",
            f"/api/sites/{quote(str(site_id), safe='')}/changes/bulk",
            {},
            {"Idempotency-Key": idempotency_key},
            body=body,
        )

    def get_scan_diff(
        self,
        site_id: int,
        *,
        scan_id: int,
    ) -> ScanDiff:
        """What one scan has changed."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/scan-diff",
            {"scanId": scan_id},
            {},
        )

    def compare_scans(
        self,
        site_id: int,
        *,
        before: int | None = None,
        after: int | None = None,
    ) -> Diff:
        """The inventories as of any two scans; by default the newest and the one before."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/diff",
            {"before": before, "after": after},
            {},
        )

    def list_page_history(
        self,
        site_id: int,
        page_id: str,
    ) -> ChangeList:
        """What happened to a page, the newest first."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/pages/{quote(str(page_id), safe='')}/history",
            {},
            {},
        )

    def list_events(
        self,
        site_id: int,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        type_: Sequence[ChangeKind | EventKind] | None = None,
        from_: str | None = None,
        to: str | None = None,
        scan: int | None = None,
        severity: Severity | None = None,
        status: Literal["open", "closed"] | None = None,
        event: int | None = None,
        silent: bool | None = None,
    ) -> EventList:
        """The newest first."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/events",
            {"cursor": cursor, "limit": limit, "type": type_, "from": from_, "to": to, "scan": scan, "severity": severity, "status": status, "event": event, "silent": silent},
            {},
        )

    def list_incidents(
        self,
        site_id: int,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        type_: Sequence[ChangeKind | EventKind] | None = None,
        from_: str | None = None,
        to: str | None = None,
        scan: int | None = None,
        severity: Severity | None = None,
        status: Literal["open", "closed"] | None = None,
        event: int | None = None,
        silent: bool | None = None,
    ) -> IncidentList:
        """The newest first."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/incidents",
            {"cursor": cursor, "limit": limit, "type": type_, "from": from_, "to": to, "scan": scan, "severity": severity, "status": status, "event": event, "silent": silent},
            {},
        )

    def update_incident(
        self,
        site_id: int,
        incident_id: int,
        body: IncidentEdit,
    ) -> Incident:
        """Assign it, or note something."""
        return self._json(  # type: ignore[no-any-return]
            "PATCH",
            f"/api/sites/{quote(str(site_id), safe='')}/incidents/{quote(str(incident_id), safe='')}",
            {},
            {},
            body=body,
        )

    def close_incident(
        self,
        site_id: int,
        incident_id: int,
        body: Closing,
        *,
        idempotency_key: str | None = None,
    ) -> Incident:
        """Should the trouble come again, that is a new incident."""
        return self._json(  # type: ignore[no-any-return]
            "POST",
            f"/api/sites/{quote(str(site_id), safe='')}/incidents/{quote(str(incident_id), safe='')}/close",
            {},
            {"Idempotency-Key": idempotency_key},
            body=body,
        )

    def snooze_incident(
        self,
        site_id: int,
        incident_id: int,
        body: Snooze,
        *,
        idempotency_key: str | None = None,
    ) -> Incident:
        """Say nothing of it until then."""
        return self._json(  # type: ignore[no-any-return]
            "POST",
            f"/api/sites/{quote(str(site_id), safe='')}/incidents/{quote(str(incident_id), safe='')}/snooze",
            {},
            {"Idempotency-Key": idempotency_key},
            body=body,
        )

    def confirm_removals(
        self,
        site_id: int,
        body: Removals,
        *,
        idempotency_key: str | None = None,
    ) -> ConfirmedRemovals:
        """Pages that went missing are gone indeed."""
        return self._json(  # type: ignore[no-any-return]
            "POST",
            f"/api/sites/{quote(str(site_id), safe='')}/removals/confirm",
            {},
            {"Idempotency-Key": idempotency_key},
            body=body,
        )

    def list_groups(
        self,
    ) -> GroupList:
        """By name, each with the number of its sites."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            "/api/groups",
            {},
            {},
        )

    def create_group(
        self,
        body: GroupRequest,
        *,
        idempotency_key: str | None = None,
    ) -> Group:
        """Create Group"""
        return self._json(  # type: ignore[no-any-return]
            "POST",
            "/api/groups",
            {},
            {"Idempotency-Key": idempotency_key},
            body=body,
        )

    def get_group(
        self,
        group_id: int,
    ) -> Group:
        """Get Group"""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/groups/{quote(str(group_id), safe='')}",
            {},
            {},
        )

    def update_group(
        self,
        group_id: int,
        body: GroupChange,
    ) -> Group:
        """Update Group"""
        return self._json(  # type: ignore[no-any-return]
            "PATCH",
            f"/api/groups/{quote(str(group_id), safe='')}",
            {},
            {},
            body=body,
        )

    def delete_group(
        self,
        group_id: int,
    ) -> None:
        """Its sites stay, without a group."""
        return self._nothing(
            "DELETE",
            f"/api/groups/{quote(str(group_id), safe='')}",
            {},
            {},
        )

    def list_jobs(
        self,
        *,
        status: Sequence[JobStatus] | None = None,
        site: int | None = None,
        since: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> JobList:
        """The newest first."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            "/api/jobs",
            {"status": status, "site": site, "since": since, "cursor": cursor, "limit": limit},
            {},
        )

    def get_job(
        self,
        job_id: int,
    ) -> JobDetail:
        """With the end of its log."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/jobs/{quote(str(job_id), safe='')}",
            {},
            {},
        )

    def cancel_job(
        self,
        job_id: int,
        *,
        idempotency_key: str | None = None,
    ) -> JobDetail:
        """One that runs ends within seconds, and what it has found is kept."""
        return self._json(  # type: ignore[no-any-return]
            "POST",
            f"/api/jobs/{quote(str(job_id), safe='')}/cancel",
            {},
            {"Idempotency-Key": idempotency_key},
        )

    def retry_job(
        self,
        job_id: int,
        *,
        idempotency_key: str | None = None,
    ) -> JobDetail:
        """Queue it again; `Location` is the new job."""
        return self._json(  # type: ignore[no-any-return]
            "POST",
            f"/api/jobs/{quote(str(job_id), safe='')}/retry",
            {},
            {"Idempotency-Key": idempotency_key},
        )

    def get_monitor(
        self,
        *,
        since: str | None = None,
    ) -> MonitorAnswer:
        """The workers that are alive, and how many jobs there are by status."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            "/api/monitor",
            {"since": since},
            {},
        )

    def get_job_progress(
        self,
        job_id: int,
    ) -> JobProgress:
        """How far the scan of a job has come."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/jobs/{quote(str(job_id), safe='')}/progress",
            {},
            {},
        )

    def stream_job(
        self,
        job_id: int,
        *,
        last_event_id: str | None = None,
    ) -> Iterator[tuple[str, str, Any]]:
        """The same whenever it changes, at most once a second; the stream ends with the job."""
        return self._events(
            "GET",
            f"/api/jobs/{quote(str(job_id), safe='')}/events",
            {},
            {"Last-Event-ID": last_event_id},
        )

    def get_live(
        self,
    ) -> WorkspaceProgress:
        """What is going on in the workspace."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            "/api/live",
            {},
            {},
        )

    def stream_live(
        self,
        *,
        last_event_id: str | None = None,
    ) -> Iterator[tuple[str, str, Any]]:
        """The same whenever it changes, at most once a second."""
        return self._events(
            "GET",
            "/api/live/events",
            {},
            {"Last-Event-ID": last_event_id},
        )

    def list_channels(
        self,
    ) -> ChannelList:
        """Those of the workspace, of groups and of sites."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            "/api/channels",
            {},
            {},
        )

    def create_channel(
        self,
        body: ChannelRequestAnywhere,
        *,
        idempotency_key: str | None = None,
    ) -> ChannelAnswer:
        """Tell somebody of changes; the secret that a webhook is signed with is shown this once."""
        return self._json(  # type: ignore[no-any-return]
            "POST",
            "/api/channels",
            {},
            {"Idempotency-Key": idempotency_key},
            body=body,
        )

    def get_channel(
        self,
        channel_id: int,
    ) -> ChannelAnswer:
        """Get Channel"""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/channels/{quote(str(channel_id), safe='')}",
            {},
            {},
        )

    def update_channel(
        self,
        channel_id: int,
        body: ChannelUpdate,
    ) -> ChannelAnswer:
        """Enabling a channel forgets its failures; what it missed is not told."""
        return self._json(  # type: ignore[no-any-return]
            "PATCH",
            f"/api/channels/{quote(str(channel_id), safe='')}",
            {},
            {},
            body=body,
        )

    def delete_channel(
        self,
        channel_id: int,
    ) -> None:
        """With its deliveries."""
        return self._nothing(
            "DELETE",
            f"/api/channels/{quote(str(channel_id), safe='')}",
            {},
            {},
        )

    def rotate_channel_secret(
        self,
        channel_id: int,
        *,
        idempotency_key: str | None = None,
    ) -> ChannelAnswer:
        """Give a webhook another secret; for a day its messages are signed with both."""
        return self._json(  # type: ignore[no-any-return]
            "POST",
            f"/api/channels/{quote(str(channel_id), safe='')}/secret",
            {},
            {"Idempotency-Key": idempotency_key},
        )

    def test_channel(
        self,
        channel_id: int,
        *,
        idempotency_key: str | None = None,
    ) -> TestAnswer:
        """Send a test message now, and say what came of it."""
        return self._json(  # type: ignore[no-any-return]
            "POST",
            f"/api/channels/{quote(str(channel_id), safe='')}/test",
            {},
            {"Idempotency-Key": idempotency_key},
        )

    def list_deliveries(
        self,
        *,
        channel: int | None = None,
        status: DeliveryStatus | None = None,
        before: int | None = None,
        limit: int | None = None,
    ) -> DeliveryList:
        """The newest first."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            "/api/deliveries",
            {"channel": channel, "status": status, "before": before, "limit": limit},
            {},
        )

    def get_delivery(
        self,
        delivery_id: int,
    ) -> DeliveryDetail:
        """With what was sent, and what came back at each attempt."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/deliveries/{quote(str(delivery_id), safe='')}",
            {},
            {},
        )

    def replay_delivery(
        self,
        delivery_id: int,
        *,
        idempotency_key: str | None = None,
    ) -> DeliveryDetail:
        """Send it again, with an id of its own; `Location` is the new delivery."""
        return self._json(  # type: ignore[no-any-return]
            "POST",
            f"/api/deliveries/{quote(str(delivery_id), safe='')}/replay",
            {},
            {"Idempotency-Key": idempotency_key},
        )

    def list_site_notifications(
        self,
        site_id: int,
    ) -> ChannelList:
        """The channels of this site alone."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/notifications",
            {},
            {},
        )

    def create_site_notification(
        self,
        site_id: int,
        body: ChannelRequest,
        *,
        idempotency_key: str | None = None,
    ) -> ChannelAnswer:
        """Tell somebody of changes of this site."""
        return self._json(  # type: ignore[no-any-return]
            "POST",
            f"/api/sites/{quote(str(site_id), safe='')}/notifications",
            {},
            {"Idempotency-Key": idempotency_key},
            body=body,
        )

    def delete_site_notification(
        self,
        site_id: int,
        channel_id: int,
    ) -> None:
        """Delete Site Notification"""
        return self._nothing(
            "DELETE",
            f"/api/sites/{quote(str(site_id), safe='')}/notifications/{quote(str(channel_id), safe='')}",
            {},
            {},
        )

    def test_site_notifications(
        self,
        site_id: int,
        *,
        idempotency_key: str | None = None,
    ) -> TestAnswer:
        """Send a test message to every channel of this site, and say what came of it."""
        return self._json(  # type: ignore[no-any-return]
            "POST",
            f"/api/sites/{quote(str(site_id), safe='')}/test-webhook",
            {},
            {"Idempotency-Key": idempotency_key},
        )

    def list_views(
        self,
        *,
        kind: ViewKind | None = None,
    ) -> ViewList:
        """One's own and the shared ones, by name."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            "/api/views",
            {"kind": kind},
            {},
        )

    def create_view(
        self,
        body: ViewRequest,
        *,
        idempotency_key: str | None = None,
    ) -> View:
        """Create View"""
        return self._json(  # type: ignore[no-any-return]
            "POST",
            "/api/views",
            {},
            {"Idempotency-Key": idempotency_key},
            body=body,
        )

    def update_view(
        self,
        view_id: int,
        body: ViewChange,
    ) -> View:
        """One's own."""
        return self._json(  # type: ignore[no-any-return]
            "PATCH",
            f"/api/views/{quote(str(view_id), safe='')}",
            {},
            {},
            body=body,
        )

    def delete_view(
        self,
        view_id: int,
    ) -> None:
        """One's own."""
        return self._nothing(
            "DELETE",
            f"/api/views/{quote(str(view_id), safe='')}",
            {},
            {},
        )

    def cron_scan(
        self,
        *,
        token: str | None = None,
        authorization: str | None = None,
        x_cron_token: str | None = None,
    ) -> CronAnswer:
        """Queue a scan of every site that is due, in all workspaces."""
        return self._json(  # type: ignore[no-any-return]
            "POST",
            "/api/cron/scan",
            {"token": token},
            {"authorization": authorization, "x-cron-token": x_cron_token},
        )

    def list_dives(
        self,
        site_id: int,
        *,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> DiveList:
        """The newest first, and how much can be searched."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/dives",
            {"cursor": cursor, "limit": limit},
            {},
        )

    def start_dive(
        self,
        site_id: int,
        body: PageParameters,
        *,
        idempotency_key: str | None = None,
    ) -> DiveAnswer:
        """Queue a dive into the pages that the filters want, such as `cluster`; none: into all."""
        return self._json(  # type: ignore[no-any-return]
            "POST",
            f"/api/sites/{quote(str(site_id), safe='')}/dives",
            {},
            {"Idempotency-Key": idempotency_key},
            body=body,
        )

    def get_dive(
        self,
        site_id: int,
        dive_id: int,
    ) -> DiveAnswer:
        """How far it has come; cancel it by its job."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/dives/{quote(str(dive_id), safe='')}",
            {},
            {},
        )

    def stream_dive(
        self,
        site_id: int,
        dive_id: int,
        *,
        last_event_id: str | None = None,
    ) -> Iterator[tuple[str, str, Any]]:
        """The same whenever it changes, at most once a second; the stream ends with the dive."""
        return self._events(
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/dives/{quote(str(dive_id), safe='')}/events",
            {},
            {"Last-Event-ID": last_event_id},
        )

    def search_site(
        self,
        site_id: int,
        *,
        status: PageStatus | None = None,
        refused: bool | None = None,
        reason: Reason | None = None,
        source: str | None = None,
        region: str | None = None,
        contains: str | None = None,
        search: str | None = None,
        text: str | None = None,
        prefix: str | None = None,
        pattern: str | None = None,
        template: str | None = None,
        category: str | None = None,
        type_: str | None = None,
        language: str | None = None,
        cluster: str | None = None,
        min_depth: int | None = None,
        max_depth: int | None = None,
        max_clicks: int | None = None,
        min_priority: float | None = None,
        max_priority: float | None = None,
        http_status: str | None = None,
        visited: bool | None = None,
        robots_allowed: bool | None = None,
        indexable: bool | None = None,
        orphan: bool | None = None,
        lastmod_since: str | None = None,
        lastmod_before: str | None = None,
        first_seen_since: str | None = None,
        first_seen_before: str | None = None,
        last_seen_since: str | None = None,
        last_seen_before: str | None = None,
        changed_since: str | None = None,
        q: str,
        passage_language: str | None = None,
        limit: int | None = None,
    ) -> HitList:
        """The best passages for the question, the best first; what pages say is untrusted text."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/search",
            {"status": status, "refused": refused, "reason": reason, "source": source, "region": region, "contains": contains, "search": search, "text": text, "prefix": prefix, "pattern": pattern, "template": template, "category": category, "type": type_, "language": language, "cluster": cluster, "minDepth": min_depth, "maxDepth": max_depth, "maxClicks": max_clicks, "minPriority": min_priority, "maxPriority": max_priority, "httpStatus": http_status, "visited": visited, "robotsAllowed": robots_allowed, "indexable": indexable, "orphan": orphan, "lastmodSince": lastmod_since, "lastmodBefore": lastmod_before, "firstSeenSince": first_seen_since, "firstSeenBefore": first_seen_before, "lastSeenSince": last_seen_since, "lastSeenBefore": last_seen_before, "changedSince": changed_since, "q": q, "passageLanguage": passage_language, "limit": limit},
            {},
        )

    def list_similar_pages(
        self,
        site_id: int,
        page_id: str,
        *,
        limit: int | None = None,
    ) -> SimilarPages:
        """Pages with the nearest meaning, as far as dives have read them."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/pages/{quote(str(page_id), safe='')}/similar",
            {"limit": limit},
            {},
        )

    def get_topics(
        self,
        site_id: int,
    ) -> Topics:
        """Clusters by meaning, as the last dive has found them, their map, and pages that compete."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/topics",
            {},
            {},
        )

    def ask_site(
        self,
        site_id: int,
        body: Question,
        *,
        idempotency_key: str | None = None,
    ) -> AnswerAnswer:
        """An answer from what the site says, with citations, which is kept in a conversation."""
        return self._json(  # type: ignore[no-any-return]
            "POST",
            f"/api/sites/{quote(str(site_id), safe='')}/ask",
            {},
            {"Idempotency-Key": idempotency_key},
            body=body,
        )

    def stream_answer(
        self,
        site_id: int,
        body: Question,
        *,
        idempotency_key: str | None = None,
    ) -> Iterator[tuple[str, str, Any]]:
        """The same as events: `piece` with some text, as it comes, then `answer`, or `problem`."""
        return self._events(
            "POST",
            f"/api/sites/{quote(str(site_id), safe='')}/ask/stream",
            {},
            {"Idempotency-Key": idempotency_key},
            body=body,
        )

    def list_conversations(
        self,
        site_id: int,
        *,
        limit: int | None = None,
    ) -> ConversationList:
        """The caller's own, the newest first."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/conversations",
            {"limit": limit},
            {},
        )

    def get_conversation(
        self,
        site_id: int,
        conversation_id: int,
    ) -> ConversationDetail:
        """One of the caller's own, with its questions and answers."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/conversations/{quote(str(conversation_id), safe='')}",
            {},
            {},
        )

    def list_gaps(
        self,
        site_id: int,
        *,
        limit: int | None = None,
    ) -> GapList:
        """Questions that the site does not answer, the most frequent first."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/gaps",
            {"limit": limit},
            {},
        )

    def get_session(
        self,
    ) -> CurrentUser:
        """Who is calling."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            "/api/session",
            {},
            {},
        )

    def sign_in(
        self,
        body: Credentials,
    ) -> None:
        """Sign in by email and password; the session is a cookie."""
        return self._nothing(
            "POST",
            "/api/session",
            {},
            {},
            body=body,
        )

    def sign_out(
        self,
    ) -> None:
        """End this session."""
        return self._nothing(
            "DELETE",
            "/api/session",
            {},
            {},
        )

    def choose_workspace(
        self,
        body: ChosenWorkspace,
    ) -> None:
        """Look at another workspace from now on."""
        return self._nothing(
            "PUT",
            "/api/session/workspace",
            {},
            {},
            body=body,
        )

    def change_password(
        self,
        body: NewPassword,
    ) -> None:
        """Choose another password; all other sessions of the user end."""
        return self._nothing(
            "PUT",
            "/api/session/password",
            {},
            {},
            body=body,
        )

    def list_sessions(
        self,
    ) -> SessionList:
        """Where the user is signed in."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            "/api/sessions",
            {},
            {},
        )

    def revoke_other_sessions(
        self,
    ) -> None:
        """Sign out everywhere but here."""
        return self._nothing(
            "DELETE",
            "/api/sessions",
            {},
            {},
        )

    def revoke_session(
        self,
        session_id: int,
    ) -> None:
        """Sign out somewhere else."""
        return self._nothing(
            "DELETE",
            f"/api/sessions/{quote(str(session_id), safe='')}",
            {},
            {},
        )

    def list_workspaces(
        self,
    ) -> WorkspaceList:
        """Those that the user belongs to."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            "/api/workspaces",
            {},
            {},
        )

    def list_tokens(
        self,
    ) -> TokenList:
        """The user's own in this workspace; an owner sees all."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            "/api/tokens",
            {},
            {},
        )

    def create_token(
        self,
        body: TokenRequest,
        *,
        idempotency_key: str | None = None,
    ) -> NewToken:
        """Make a token for this workspace. Its text is shown this once."""
        return self._json(  # type: ignore[no-any-return]
            "POST",
            "/api/tokens",
            {},
            {"Idempotency-Key": idempotency_key},
            body=body,
        )

    def revoke_token(
        self,
        token_id: int,
    ) -> None:
        """One's own; an owner can revoke everybody's."""
        return self._nothing(
            "DELETE",
            f"/api/tokens/{quote(str(token_id), safe='')}",
            {},
            {},
        )

    def list_users(
        self,
    ) -> UserList:
        """By email."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            "/api/users",
            {},
            {},
        )

    def create_user(
        self,
        body: UserRequest,
        *,
        idempotency_key: str | None = None,
    ) -> NewUser:
        """Add a user to the workspace."""
        return self._json(  # type: ignore[no-any-return]
            "POST",
            "/api/users",
            {},
            {"Idempotency-Key": idempotency_key},
            body=body,
        )

    def get_user(
        self,
        user_id: int,
    ) -> User:
        """Get User"""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            f"/api/users/{quote(str(user_id), safe='')}",
            {},
            {},
        )

    def update_user(
        self,
        user_id: int,
        body: UserChange,
    ) -> User:
        """Give another role or name, disable or enable; the last owner stays one."""
        return self._json(  # type: ignore[no-any-return]
            "PATCH",
            f"/api/users/{quote(str(user_id), safe='')}",
            {},
            {},
            body=body,
        )

    def remove_user(
        self,
        user_id: int,
    ) -> None:
        """Take the user out of this workspace."""
        return self._nothing(
            "DELETE",
            f"/api/users/{quote(str(user_id), safe='')}",
            {},
            {},
        )

    def create_password_link(
        self,
        user_id: int,
        *,
        idempotency_key: str | None = None,
    ) -> PasswordLink:
        """A new link; those from before no longer work."""
        return self._json(  # type: ignore[no-any-return]
            "POST",
            f"/api/users/{quote(str(user_id), safe='')}/password-link",
            {},
            {"Idempotency-Key": idempotency_key},
        )

    def list_audit_entries(
        self,
        *,
        before: int | None = None,
        limit: int | None = None,
    ) -> AuditList:
        """The newest first."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            "/api/audit",
            {"before": before, "limit": limit},
            {},
        )

    def get_health(
        self,
    ) -> Health:
        """The process runs."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            "/api/health",
            {},
            {},
        )

    def get_readiness(
        self,
    ) -> Health:
        """The database answers."""
        return self._json(  # type: ignore[no-any-return]
            "GET",
            "/api/ready",
            {},
            {},
        )

    def get_metrics(
        self,
    ) -> bytes:
        """Requests of this server; sites, jobs, workers and scans of the workspace."""
        return self._bytes(
            "GET",
            "/api/metrics",
            {},
            {},
        )

    def download_pages(
        self,
        site_id: int,
        format_: ExportFormat,
        *,
        status: PageStatus | None = None,
        refused: bool | None = None,
        reason: Reason | None = None,
        source: str | None = None,
        region: str | None = None,
        contains: str | None = None,
        search: str | None = None,
        text: str | None = None,
        prefix: str | None = None,
        pattern: str | None = None,
        template: str | None = None,
        category: str | None = None,
        type_: str | None = None,
        language: str | None = None,
        cluster: str | None = None,
        min_depth: int | None = None,
        max_depth: int | None = None,
        max_clicks: int | None = None,
        min_priority: float | None = None,
        max_priority: float | None = None,
        http_status: str | None = None,
        visited: bool | None = None,
        robots_allowed: bool | None = None,
        indexable: bool | None = None,
        orphan: bool | None = None,
        lastmod_since: str | None = None,
        lastmod_before: str | None = None,
        first_seen_since: str | None = None,
        first_seen_before: str | None = None,
        last_seen_since: str | None = None,
        last_seen_before: str | None = None,
        changed_since: str | None = None,
        scan: int | None = None,
    ) -> bytes:
        """The pages as a file, with the fields of a feed."""
        return self._bytes(
            "GET",
            f"/api/sites/{quote(str(site_id), safe='')}/pages.{quote(str(format_), safe='')}",
            {"status": status, "refused": refused, "reason": reason, "source": source, "region": region, "contains": contains, "search": search, "text": text, "prefix": prefix, "pattern": pattern, "template": template, "category": category, "type": type_, "language": language, "cluster": cluster, "minDepth": min_depth, "maxDepth": max_depth, "maxClicks": max_clicks, "minPriority": min_priority, "maxPriority": max_priority, "httpStatus": http_status, "visited": visited, "robotsAllowed": robots_allowed, "indexable": indexable, "orphan": orphan, "lastmodSince": lastmod_since, "lastmodBefore": lastmod_before, "firstSeenSince": first_seen_since, "firstSeenBefore": first_seen_before, "lastSeenSince": last_seen_since, "lastSeenBefore": last_seen_before, "changedSince": changed_since, "scan": scan},
            {},
        )
