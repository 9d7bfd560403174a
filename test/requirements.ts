/**
 * Every behaviour of the specification (spec §1–9) and of the contract that fills its gaps (contract §1–7), as data.
 * A test cites the ids it proves in its title: `test('[approval.used-once] …')`. `test/unit/requirements.test.ts` fails
 * when an id has no test, when a test cites an unknown id, and when a deferred id has a test after all.
 */

export interface Requirement {
  readonly id: string;
  /** Where the behaviour is written down. */
  readonly spec: `spec §${string}` | `contract §${string}` | `decision ${string}`;
  readonly says: string;
  readonly proof: 'test' | { readonly deferred: string };
}

type Source = Requirement['spec'];

const must = (id: string, spec: Source, says: string): Requirement => ({ id, spec, says, proof: 'test' });

const later =
  (deferred: string) =>
  (id: string, spec: Source, says: string): Requirement => ({ id, spec, says, proof: { deferred } });

const operations = later('a later issue: rollouts, analytics, alerts, federation, GraphQL, plugins');
const edge = later('a later issue: the edge proxy');
const telemetry = later('a later issue: the trace routes');

const actions: readonly Requirement[] = [
  must(
    'action.normalised',
    'spec §1',
    'Every agent action becomes an ActionEnvelope and gets exactly one of allow, review, block.',
  ),
  must('action.allow', 'spec §3.1', 'A rule that allows answers allow with matched_rule, policy and evidence_hash.'),
  must('action.block', 'spec §3.1', 'A rule that blocks answers error -32001 and leaves a block entry.'),
  must('action.block.data', 'spec §2.2', 'A block carries error.data.reason and error.data.suggested_alternative.'),
  must(
    'action.block.alternative-from-policy',
    'spec §2.2',
    'The suggested alternative is the nearest call the policy in force would allow or review, unless the rule states one.',
  ),
  must(
    'action.review.queues',
    'spec §3.1',
    'A review answers error -32002, queues a pending item and leaves a review entry.',
  ),
  must('action.review.data', 'spec §2.2', 'A review carries error.data.approval_url and error.data.queued_at.'),
  must(
    'action.default.fail-closed',
    'spec §1',
    "A call no rule matches gets the policy's default decision, which is review in pr-writer.",
  ),
  must('action.envelope-id', 'spec §2.1', 'Each evaluated action gets a fresh UUID as envelope_id.'),
  must(
    'action.retry.approval-ref',
    'spec §3.1',
    'A retry with the approval_ref of an approved call is allowed with matched_rule approved:<envelope_id>.',
  ),
  must('action.retry.history', 'spec §1', 'The identical call retried without approval_ref finds its approval.'),
  must(
    'action.http-200',
    'contract §3',
    'test-action answers HTTP 200 for every decision and 400 for an invalid body.',
  ),
  must(
    'action.not-executed',
    'contract §3',
    'Without an executor for the tool the answer is allow without result, and evidence says not_executed.',
  ),
  must('action.dry-run', 'contract §3', 'dry_run evaluates with the live policy, records nothing and uses up nothing.'),
  must(
    'action.no-secret',
    'contract §3',
    'No answer holds a secret: of a credential only type, scope and expires_in are shown.',
  ),
  must(
    'action.sizes',
    'contract §3',
    'An envelope above 256 kB is 413; a target above 4 kB, nesting above 64, duplicate keys and lone surrogates are 400.',
  ),
  must('action.store-steps', 'contract §4', 'allow, block and review take at most three sequential store steps each.'),
  must(
    'action.decision-before-effect',
    'contract §4',
    'The decision entry is stored before the side effect, the result entry after it.',
  ),
  must(
    'action.worst-wins',
    'contract §3',
    'Several sources combine to the worst decision: block over review over allow.',
  ),
  must(
    'action.same-class-everywhere',
    'contract §3',
    'Chat, MCP and Git hosts give a tool one capability and one target: the gravest verb anywhere in its name counts.',
  ),
  must(
    'action.claims-only-tighten',
    'contract §3',
    'A caller may claim a graver capability than the name of its tool says, never a lesser one.',
  ),
  must(
    'action.annotations-only-tighten',
    'contract §3',
    'What a server says of its tool in annotations never makes a capability less grave.',
  ),
  must('action.manifest-id', 'contract §3', 'test-action accepts a manifest_id.'),
  must('action.executed', 'spec §3.1', 'An allowed call is forwarded to its executor and its result is returned.'),
  must('action.result.pull-request', 'spec §2.2', 'The result of a created pull request carries pr_url and pr_number.'),
  must(
    'action.large-result',
    'contract §3',
    'A large result goes to the object store by digest; whatever becomes of a result, its outcome is recorded.',
  ),
  must('action.normalisers', 'contract §3', 'Shell text and SQL are parsed into operations before matching.'),
  must('action.sandbox-rules', 'contract §3', 'Sandbox rules decide with matched_rule sandbox:<rule>.'),
  must(
    'action.sandbox-git-differential',
    'contract §3',
    'No Git command that the limits let pass moves a protected branch in a real repository.',
  ),
  must(
    'action.sandbox-git-closed',
    'contract §3',
    'A Git command or call that is not known to leave protected branches and files alone is held by their limits.',
  ),
];

const policies: readonly Requirement[] = [
  must('policy.first-match', 'contract §3', 'Rules are tried in order; the first that matches decides.'),
  must(
    'policy.matched-rule',
    'spec §2.2',
    'matched_rule is <protocol>:<tool-pattern> of the rule, or default when none matched.',
  ),
  must(
    'policy.globs',
    'contract §3',
    '* does not cross /, ** does, a lone * does; ?, {} and [] work; dots are ordinary.',
  ),
  must(
    'policy.case-folding',
    'contract §3',
    'Protocol, tool and host names are folded in case; targets and parameters are not.',
  ),
  must(
    'policy.normalised-paths',
    'contract §3',
    'Paths (.., //, ./) and Unicode look-alikes are normalised before matching; digests use the raw call.',
  ),
  must(
    'policy.arguments',
    'contract §3',
    'Rules on arguments: equals, in, glob, not_glob, min, max, max_length, absent; list[*] is every element; a missing path fails.',
  ),
  must(
    'policy.relative-globs',
    'contract §3',
    'A pattern that begins with ./ matches relative paths that do not climb.',
  ),
  must(
    'policy.guards',
    'contract §3',
    "A pack's guards block secret files, keys, system accounts and ways out of the workspace in every protocol and every parameter that is a path; no rule lifts them.",
  ),
  must(
    'policy.guards.disable',
    'contract §3',
    'tool_policies.disable_guards puts a guard out of force, with a warning that status shows; an unknown name is refused.',
  ),
  must(
    'policy.capability-words',
    'contract §3',
    'A rule or call that names a capability other than read, write, execute or delete is refused with the words allowed.',
  ),
  must('policy.fails-closed', 'spec §1', 'An error while evaluating never allows.'),
  must(
    'policy.break-glass',
    'spec §1',
    'Break-glass is an explicit opt-in, and each request under it is marked in evidence.',
  ),
  must(
    'policy.governance-mode',
    'contract §1',
    'In governance mode an erring content filter blocks; in permissive mode it is logged and passes.',
  ),
  must('policy.default-decision', 'spec §2.10', "The default decision is configurable and overrides the pack's."),
  must('policy.rules-before-pack', 'contract §1', "Configured rules come before the pack's."),
  must(
    'policy.shadowed-rule',
    'contract §1',
    'A rule that can never match is refused at load with the rules that cover it.',
  ),
  must('policy.analysis.exact', 'contract §3', 'Analysis is exact: it equals brute force on a small alphabet.'),
  must(
    'policy.analysis.budget',
    'contract §3',
    'Beyond its state budget the analysis says «not analysed» instead of guessing.',
  ),
  must(
    'policy.diff',
    'spec §4.5',
    'diff-policy lists every region whose decision changes with a shortest example, tightened and loosened apart.',
  ),
  must('policy.simulate', 'spec §4.5', 'simulate evaluates calls against a policy and records nothing.'),
  must('policy.why', 'spec §4.5', 'why shows, for a recorded action, each rule and the first condition that failed.'),
  must('policy.unknown-protocol-warns', 'spec §7.2', 'A rule naming an unknown protocol only warns.'),
  must(
    'policy.upstream',
    'contract §3',
    'A rule may name an upstream; decision, explanation, analysis and diff know it.',
  ),
  must(
    'credential.grant-upstream',
    'contract §3',
    'A credential for protocol mcp names its upstream, or the load fails; no other server is given it.',
  ),
  must('pack.readonly', 'spec §1', 'The readonly pack allows reads and nothing else.'),
  must(
    'pack.pr-writer',
    'spec §1',
    'The pr-writer pack reviews pull requests, blocks destruction, and defaults to review.',
  ),
  must('pack.infra-review', 'spec §1', 'The infra-review pack reviews what changes infrastructure.'),
  must(
    'pack.sql-explorer',
    'spec §1',
    'sql-explorer allows SELECT, reviews INSERT and UPDATE, blocks DELETE, DROP, TRUNCATE, GRANT and REVOKE.',
  ),
  must(
    'pack.sql-system-relations',
    'contract §3',
    'sql-explorer allows system relations that are listed as harmless, and reviews every other.',
  ),
  must(
    'pack.sql-everyday',
    'contract §3',
    'Of everyday queries sql-explorer allows no smaller share than before, but for three points.',
  ),
  must(
    'policy-version.numbered',
    'contract §1',
    'Storing a configuration makes a version, content-addressed and numbered 1, 2, 3 …',
  ),
  must('policy-version.last-20', 'spec §8', 'The last 20 versions are kept.'),
  must(
    'policy-version.rollback',
    'spec §4.3',
    "Rollback atomically writes a new version whose content is the old one's.",
  ),
  must(
    'policy-version.import-once',
    'contract §1',
    'The file is imported only if it differs from the last imported one, so a rollback survives a restart.',
  ),
  must('policy-version.noticed', 'contract §1', 'An instance notices a new version within 5 seconds.'),
  must('policy-version.list-get', 'spec §4.3', 'Versions can be listed and read: all, current, one.'),
  must(
    'policy.hot-reload',
    'spec §2.10',
    'The local run reloads the configuration file when it changes; a bad file changes nothing.',
  ),
  operations('policy.break-glass.alert', 'contract §1', 'While break-glass is on, an alert is active.'),
];

const configuration: readonly Requirement[] = [
  must(
    'config.unknown-keys',
    'contract §1',
    'Unknown keys fail the load with YAML path, what was found and what is allowed.',
  ),
  must(
    'config.did-you-mean',
    'contract §1',
    'A misspelt key, word, name or capability is refused, and a misspelt tool reported, with the one that was probably meant.',
  ),
  must(
    'config.unset-secrets',
    'contract §1',
    'The local host reports each secret that the configuration names and that has no value.',
  ),
  must('config.bad-words', 'contract §1', 'Bad decision words, regexes and globs fail the load.'),
  must('config.provider-names', 'spec §7.2', 'Empty provider names or types and duplicate providers fail the load.'),
  must('config.routes-known-providers', 'spec §7.2', 'Routes naming unknown providers fail the load.'),
  must('config.tenants', 'spec §7.2', 'Tenants without API keys and duplicate tenant ids fail the load.'),
  must('config.limits-not-negative', 'spec §7.2', 'Negative rate limits and a negative max body size fail the load.'),
  must('config.keys', 'spec §5', 'Duplicate, empty and conflicting tenant keys fail the load.'),
  must('config.key-env', 'spec §5', 'Tenant keys may come from an environment variable by key_env.'),
  must('config.plain-key', 'spec §5', 'A plain-string key is an operator key of kind agent without owner.'),
  must(
    'config.schema-published',
    'contract §1',
    'The JSON Schema in docs/reference is generated from the one zod schema.',
  ),
  must(
    'config.keys-described',
    'contract §1',
    'Every key has a description in the schema and in docs/reference; numbers name their unit and have a range.',
  ),
  must(
    'config.put',
    'contract §7',
    'GET and PUT config show the configuration without secrets and store a new version.',
  ),
  must(
    'config.wasm-entry',
    'spec §2.9',
    'A WASM policy entry takes name, type, action, path, timeout and on_error with the defaults of the table.',
  ),
  must(
    'config.provider-entry',
    'spec §2.8',
    'A provider entry takes name, type, enabled, base_url, api_key_env and models; mock is enabled by default.',
  ),
  must('config.base-url-drops-key', 'contract §2', 'A changed base_url drops the stored key.'),
  must(
    'config.secrets-stay-bound',
    'contract §2',
    'A secret is sent to the addresses and used for the purposes it was entered for; only the configuration file changes that.',
  ),
  must(
    'config.prices',
    'contract §1',
    'Prices come from a dated file; an unknown model is refused or estimated, never silently 0.',
  ),
];

const identity: readonly Requirement[] = [
  must('auth.header', 'spec §5', 'The key is taken from X-API-Key or Authorization: Bearer.'),
  must('auth.never-query', 'spec §5', 'A key or the admin token in a query parameter or cookie is never accepted.'),
  must(
    'auth.digest-constant-time',
    'spec §5',
    'Keys are stored as SHA-256 digests, found by digest and compared in constant time.',
  ),
  must(
    'identity.person-tenants',
    'contract §2',
    'A person acts in the tenant of the key in use and in the tenants named for them, and in no other.',
  ),
  must(
    'identity.oidc-token',
    'contract §2',
    'A bearer token of a configured issuer is a credential: bounded, of a listed type and algorithm, signed by a published key, for a listed audience, with a subject and a bounded life; anything else is 401 invalid_token.',
  ),
  must(
    'identity.oidc-keys',
    'contract §2',
    'Keys of an issuer are fetched at most once in 30 seconds, used for a bounded time while it does not answer, and 503 afterwards.',
  ),
  must(
    'identity.oidc-mapping',
    'contract §2',
    'Claims lead to tenant, role, kind, person and owner by the first entry that holds; they never exceed it, and without an entry the answer is 403.',
  ),
  must(
    'identity.oidc-configuration',
    'contract §2',
    'Issuers, audiences, people and tenants of identity.oidc are checked when a configuration is loaded.',
  ),
  must(
    'identity.oidc-revoked',
    'contract §2',
    'A token whose subject, person or issuer left the configuration stops within five seconds: also in open connections, streams and approved calls.',
  ),
  must(
    'identity.oidc-votes',
    'contract §2',
    'A human with a token votes as the person its claim is mapped to; separation of duties holds across keys and tokens.',
  ),
  must(
    'identity.oidc-evidence',
    'contract §2',
    'Evidence names issuer, subject and owner of a caller with a token, never the token.',
  ),
  must(
    'identity.oidc-mcp',
    'contract §2',
    'Over MCP a token must be for identity.mcp_resource; the RFC 9728 metadata names it and the issuers, and a 401 points there, so that OAuth clients sign in by themselves.',
  ),
  must(
    'identity.aws-callers',
    'contract §2',
    'A request that passed the IAM authoriser is its user or role as identity.aws.callers maps it, and 403 without an entry; the identity is read from the request context only, never from headers.',
  ),
  must(
    'identity.aws-api',
    'contract §2',
    'With -c iamCallers=on a REST API of its own has an IAM authoriser on every method: chat, MCP, test-action and whoami. Elsewhere a signed request is 401 with what to do.',
  ),
  must(
    'identity.oidc-sessions',
    'contract §2',
    'Limits, sessions and risk belong to a key id derived from issuer, subject, client and kind.',
  ),
  must('auth.missing', 'contract §2', 'Without a credential every /admin/v1 route and /metrics is 401.'),
  must('auth.unknown-key', 'contract §6', 'An unknown key is 401 authentication_error.'),
  must(
    'auth.before-body',
    'contract §2',
    'No body is read of a caller whose key is unknown or may not; before a WebSocket has a key, 8 messages of 4 kB are read.',
  ),
  must(
    'auth.failures-limited',
    'contract §2',
    'After 100 wrong keys of one address, others from there are 429; a key that was used from there before still works.',
  ),
  must('auth.revoked-key', 'contract §2', 'A revoked key stops working within 5 seconds.'),
  must('auth.health-open', 'contract §2', '/health is open and shows status and version only.'),
  must(
    'auth.roles',
    'spec §5',
    'admin includes operator includes viewer; each route refuses roles below its own with 403.',
  ),
  must('auth.role-matrix', 'contract §2', 'The whole role and kind matrix of the routes table holds over real HTTP.'),
  must('auth.audit-role', 'spec §5', '/admin/v1/audit needs operator, /admin/v1/audit/verify needs admin.'),
  must(
    'auth.no-admin-token',
    'spec §5',
    'With no admin token and no admin key the admin surface refuses everything but /health.',
  ),
  must(
    'auth.agent-kind',
    'contract §2',
    'An agent key may act, simulate and read its own sessions; no other mutating admin route, whatever its role.',
  ),
  must('auth.platform', 'contract §2', 'Global things need the admin token or a platform key.'),
  must('auth.tenant-isolation', 'contract §6', "Another tenant's ids are 404, not 403."),
  must(
    'auth.principal',
    'contract §2',
    'The acting principal is the authenticated key; actor.agent is a recorded label.',
  ),
  must('auth.host-header', 'contract §2', 'Listeners check the Host header.'),
  must('auth.generated-keys-loopback', 'contract §2', 'Generated keys are refused on any host but loopback.'),
  must(
    'auth.keys-file',
    'contract §2',
    'The local run generates one agent, human and viewer key and the admin token, in a file of mode 0600.',
  ),
  must(
    'session.source',
    'contract §2',
    'The session is actor.session, else X-Session-ID, else one made per key, instance and hour.',
  ),
  must(
    'session.unnamed-shared',
    'decision 0059',
    'On AWS calls of a key that name no session share one an hour in all processes, and more only where its chain is contended.',
  ),
  must('session.form', 'contract §2', 'A session id outside [A-Za-z0-9._:-]{1,128} is 400.'),
  must(
    'session.owner',
    'contract §2',
    'A session belongs to the key that opened it: another agent key naming it is refused with 403.',
  ),
  must(
    'session.owner.race',
    'contract §2',
    'Of two agent keys that open the same session at once exactly one gets in; the other is refused with 403 and leaves no entry in it.',
  ),
  must('session.tenant-scope', 'contract §2', 'Sessions of the same name in two tenants are two sessions.'),
  must('sod.humans-only', 'contract §2', 'Only humans vote: an agent or service key voting is 403.'),
  must(
    'sod.own-request',
    'spec §5',
    'Nobody votes on a request made with a key that is theirs or that they own: 403 separation_of_duties.',
  ),
  must('sod.by-person', 'contract §2', 'Humans are compared by person, not by key.'),
  must('sod.unmapped-chat', 'contract §2', 'A chat identity mapped to no person has no vote.'),
  operations('auth.federation-token', 'spec §5', 'Federation uses a bearer token compared in constant time.'),
  edge('auth.tls', 'spec §5', 'The edge speaks TLS 1.3 with ECDSA P-256 / X25519.'),
  must('auth.provider-keys', 'spec §5', 'Agents never hold provider keys; a broker injects them.'),
  must('auth.secret-env-allow-list', 'contract §2', 'Environment names for secrets come from an allow-list.'),
  edge('auth.priority-critical', 'contract §2', 'X-Priority: critical counts only for keys with priority critical.'),
];

const approvals: readonly Requirement[] = [
  must(
    'approval.item',
    'spec §2.3',
    'The pending list is { pending: [...] } of items with envelope_id, actor, tool, target, parameters, queued_at, justification.',
  ),
  must(
    'approval.record',
    'spec §2.4',
    'Approving answers the record: envelope_id, status, reviewer, approved_at, comment, evidence_hash.',
  ),
  must(
    'approval.evidence-linked',
    'spec §2.4',
    'The approval record is an entry of the chain with reviewer, time and comment.',
  ),
  must('approval.reviewer-required', 'spec §3.2', 'A vote without a reviewer is 400; the comment is optional.'),
  must(
    'approval.reviewer-beside-person',
    'contract §2',
    'The reviewer text is recorded beside the authenticated person, never instead of it.',
  ),
  must(
    'approval.denied',
    'spec §3.2',
    'A denied call stays denied: the same id with reason denied for 60 s, then a new request.',
  ),
  must(
    'approval.denial-told',
    'contract §3',
    'A denial reaches the agent as a block by denied:<envelope_id> with reviewer and comment, whichever way it waits.',
  ),
  must(
    'approval.expired-asks-anew',
    'contract §3',
    'A request nobody decided in time opens no obstacle: the identical call is review again with reason expired.',
  ),
  must(
    'approval.timeout',
    'spec §3.2',
    'A pending approval whose time is over is denied by system with reason timeout.',
  ),
  must(
    'approval.vote-after-expiry',
    'contract §3',
    'A vote after expires_at is 409, whatever the clocks did: the row decides.',
  ),
  must('approval.decided-twice', 'contract §3', 'A second decision is 409 conflict with the record.'),
  must(
    'approval.pending-cap',
    'contract §3',
    'At most approvals.max_pending_per_key requests of a key, and a bound of its tenant, wait for a person; a further one is 429, asks nobody, and the first of a minute is evidence.',
  ),
  must('approval.used-once', 'contract §3', 'An approval is used once; a second use is review again with a reason.'),
  must('approval.race', 'contract §3', 'Of twenty simultaneous uses of one approval exactly one is allowed.'),
  must('approval.bound.session', 'contract §3', 'Another session using an approval_ref gets review with the reason.'),
  must('approval.bound.key', 'contract §3', 'Another key using an approval_ref gets review with the reason.'),
  must(
    'approval.bound.parameters',
    'contract §3',
    'Changed parameters with an approval_ref get review with the reason.',
  ),
  must(
    'approval.bound.digest',
    'contract §3',
    'The call digest is SHA-256 over the canonical call and holds no ids or times.',
  ),
  must('approval.never-lifts-block', 'contract §3', 'An approval never lifts a block.'),
  must(
    'approval.policy-changed',
    'contract §3',
    'When another rule matches at use, it is review again with policy_changed.',
  ),
  must('approval.use-expires', 'contract §3', 'An approved call not used in time is review again with the reason.'),
  must('approval.pending-same-id', 'contract §3', 'The identical call while pending answers the same envelope_id.'),
  must(
    'approval.url',
    'contract §3',
    'approval_url is <admin_url>/admin/v1/approvals/<envelope_id> and never decides on GET.',
  ),
  must(
    'approval.card',
    'contract §3',
    'The approval shows key, owner, upstream, effects of the raw call in words, rule with reason, risk and expiry; labels as labels.',
  ),
  must(
    'approval.browser-page',
    'contract §3',
    'A browser without a key at approval_url is told how to decide; the page holds no data, and API clients get 401.',
  ),
  must(
    'approval.secret-in-program',
    'contract §3',
    'Text that will be executed is never hidden in part: a call with a secret in it is refused, and told to pass it by reference.',
  ),
  must(
    'evidence.redaction-bounded',
    'contract §4',
    'What is withheld of a text is the secret itself, not the words that stand behind it.',
  ),
  must('approval.withheld', 'contract §3', 'Where a sensitive value is withheld from the reviewer, the item says so.'),
  must('approval.history', 'contract §3', 'History filters by approved, denied and expired.'),
  must('approval.pages', 'contract §3', '1,000 pending approvals list fast and in pages.'),
  must(
    'approval.states',
    'contract §3',
    'pending → approved | denied; approved → executing under a lease → consumed with an outcome; every other move is refused.',
  ),
  must(
    'approval.lease-unknown',
    'contract §3',
    'A lease that ends without an outcome is unknown and is never retried blindly.',
  ),
  must('approval.one-table', 'contract §3', 'Every move of an approval is made by one table of states and events.'),
  must('approval.one-transaction', 'contract §3', 'Every move is one transaction with its evidence entry.'),
  must(
    'approval.machine',
    'contract §3',
    'The state machine announces, waits for the task token and settles; its states agree with the transition function.',
  ),
  must('approval.clock-recovers', 'contract §3', 'The sweep starts clocks that did not start and denies what expired.'),
  must('approval.cleanup', 'spec §3.2', 'Expired approvals can be cleaned up.'),
  must(
    'approval.on-approval.execute',
    'contract §3',
    'With on_approval execute the state machine runs the very call once, and the identical call returns its stored result.',
  ),
  must(
    'approval.execute-asks-again',
    'contract §3',
    'Before the gateway makes an approved call, kill switch, key, tenant, tasks and policy are asked again.',
  ),
  must(
    'approval.given-back',
    'contract §3',
    'An approval whose credential could not be minted is given back, with evidence, and used up by no failure to mint.',
  ),
  must('approval.lease-renewed', 'contract §3', 'An approved call that outlasts its lease renews it while it runs.'),
  must(
    'approval.restart',
    'contract §3',
    'Pending approvals survive kill -9; an approval granted before still works after; nothing runs twice.',
  ),
  must(
    'approval.expired-while-down',
    'contract §3',
    'Approvals that expired while the gateway was down are denied at start.',
  ),
  must(
    'slack.signature',
    'contract §3',
    'The Slack callback checks the v0 signature over the raw body and a 5-minute window.',
  ),
  must('slack.replay', 'contract §3', 'A replayed Slack callback is refused.'),
  must(
    'slack.acknowledged-first',
    'contract §3',
    'A click is acknowledged before its vote is recorded, the acknowledgement claims nothing, and the outcome is posted afterwards.',
  ),
  must(
    'notify.within-seconds',
    'spec §6',
    'What is enqueued is sent by the stream of its table, without waiting for the schedule; order and duplicates are kept.',
  ),
  must(
    'notify.until-nothing-is-due',
    'spec §6',
    'The schedule sends what is due page after page until nothing is, or its time is over.',
  ),
  must('slack.vote', 'contract §3', 'A Slack button votes as the mapped person and the message is updated.'),
  must('notify.events', 'spec §6', 'Notifications go out when an approval is submitted, approved and denied.'),
  must('notify.slack-buttons', 'contract §3', 'Slack buttons carry only the id.'),
  must('notify.webhook-signed', 'contract §3', 'The generic webhook is signed.'),
  must('notify.retries', 'contract §3', 'Delivery is retried, ends in a dead letter, and never blocks the caller.'),
  must('approval.hold', 'contract §3', 'With hold_seconds the call is held and answers in place if decided in time.'),
  must(
    'approval.pr-comment',
    'spec §6',
    'An approval is asked for and given by pull-request comments; the question is rewritten once it is decided.',
  ),
  must(
    'pr-comment.place',
    'spec §6',
    'It is asked for on the pull request the call is about, if its repository is listed, else on the fixed one, else not there.',
  ),
  must(
    'pr-comment.text',
    'spec §6',
    'What others wrote stands in code it cannot leave, mentions nobody, and fits what the host takes.',
  ),
  must(
    'pr-comment.signature',
    'spec §6',
    'A delivery is verified by HMAC-SHA256 over its raw bytes, with the present or the previous secret.',
  ),
  must(
    'pr-comment.command',
    'spec §6',
    'A vote is one command on the first line of a new comment on the pull request where it was asked for.',
  ),
  must(
    'pr-comment.voter',
    'spec §6',
    'It is counted for mapped people who may write to the repository now; no bot, no stranger, nobody on their own request.',
  ),
  must('pr-comment.push', 'spec §6', 'A push after the question makes an approval void; a denial counts still.'),
  must(
    'pr-comment.untouched',
    'spec §6',
    'An approval counts only while the question says what the gateway wrote; a denial counts still.',
  ),
  must(
    'pr-comment.once',
    'spec §6',
    'A comment is taken once; one that met an outage of the host can be delivered again.',
  ),
  must('approval.chat-202', 'spec §3.2', 'A review of chat traffic answers 202 and suspends the request.'),
];

const evidence: readonly Requirement[] = [
  must(
    'evidence.chain',
    'spec §2.5',
    'Each entry is linked by SHA-256 to the previous one; the first has previous_hash "".',
  ),
  must(
    'evidence.hash-format',
    'contract §4',
    'hash = SHA-256(0x00 ‖ JCS(entry without hash)); manifest hashes use 0x01.',
  ),
  must(
    'evidence.kinds',
    'spec §2.5',
    'A session lists allow, block, review, approve, deny and result entries; one envelope may yield several.',
  ),
  must(
    'evidence.manifest',
    'contract §4',
    'A session ends with a manifest: totals, hashes, counts, versions, credentials, session_manifest_hash, signature.',
  ),
  must('evidence.signature', 'contract §4', 'The manifest is signed with ECDSA P-256 once per session and last hash.'),
  must('evidence.export', 'contract §4', 'Export is one JSON file: format, manifest, entries, public_key.'),
  must('evidence.export.streams', 'contract §4', 'Export is streamed.'),
  must(
    'evidence.verify.live',
    'spec §2.5',
    'Live verification answers valid and total_entries and compares with the stored head.',
  ),
  must(
    'evidence.verify.offline',
    'contract §4',
    'A bundle verifies offline with the public key alone, the server stopped.',
  ),
  must(
    'evidence.verify.origin',
    'contract §4',
    'Without a trusted public key the verifier says origin not checked and exits 1.',
  ),
  must('evidence.edit.detected', 'contract §4', 'Any changed byte of an entry is found at its index.'),
  must('evidence.truncation.detected', 'contract §4', 'A dropped tail and a dropped head are found.'),
  must('evidence.order.detected', 'contract §4', 'Swapped, removed and duplicated entries are found.'),
  must('evidence.foreign.detected', 'contract §4', 'An entry of another session and a forged result are found.'),
  must(
    'evidence.checkpoint',
    'contract §4',
    'Where chains stand is signed in batches, beside the archive and never within a commit; verification compares with it and says in not_checked what it could not compare.',
  ),
  must(
    'evidence.checkpoint.continues',
    'contract §4',
    'A chain that does not continue its last checkpoint is signed neither as a manifest nor as a checkpoint; the refusal is logged and counted.',
  ),
  must(
    'evidence.checkpoint.file',
    'contract §4',
    'The local checkpoint file is append-only, chained and of mode 0600: edits, gaps and strangers’ lines are found, a torn line is dropped.',
  ),
  must(
    'evidence.checkpoint.bundle',
    'contract §4',
    'A bundle carries the newest checkpoint of its session with the proof that a stranger checks offline.',
  ),
  must(
    'evidence.rewriting.found',
    'contract §4',
    'What somebody with full access to the tables rewrites, cuts, forks, back-dates, swaps, replaces or deletes is found by verify and audit verify, with its place.',
  ),
  must(
    'evidence.archive.batch',
    'contract §4',
    'A batch of a session is one archive object; repeated or cut otherwise it is read back once, beside objects of single entries.',
  ),
  must(
    'evidence.large-sessions',
    'contract §4',
    'A session of any length is exported, listed and verified in pieces; chain and archive are read side by side and never held whole.',
  ),
  must(
    'evidence.archive.check',
    'contract §4',
    'Heads are compared with the archive on demand and daily: entries without a copy and contradictions are named, counted and watched by an alarm.',
  ),
  must(
    'evidence.archive.repair',
    'contract §4',
    'What is missing in the archive is archived, checkpointed and counted from the table if it follows the copies beside it; the act is recorded.',
  ),
  must(
    'evidence.retention',
    'contract §4',
    'Rows older than evidence.retention_days are removed once they equal their archived copies under a checkpoint; head and last row stay, and verification reads the copies and says so.',
  ),
  must('evidence.archive.read', 'contract §4', 'The archive is read back and compared with the chain, entry by entry.'),
  must(
    'evidence.keys.rotate',
    'contract §4',
    'The signing key rotates: manifests and checkpoints verify under the key of their key_id, and a statement signed by both keys links them for whoever pinned one.',
  ),
  must(
    'evidence.keys.one-per-store',
    'contract §4',
    'A process with another signing key than the store was begun with is refused at start, and nothing is written.',
  ),
  must(
    'evidence.keys.published',
    'contract §4',
    'The public keys that evidence was signed with are listed, with the statements that link them.',
  ),
  must(
    'evidence.approval-proven',
    'contract §4',
    'An entry approved:<id> or denied:<id> without an earlier vote of that id over the same call, or a second use of one, makes the chain invalid at that entry.',
  ),
  must(
    'approval.evidence-decides',
    'contract §4',
    'A vote counts when the evidence holds its entry over the same call; a row that claims another one is refused with not_in_evidence, and the refusal is recorded.',
  ),
  must(
    'approval.vote-signed',
    'contract §4',
    'The function that takes an approving vote signs its entry; an approve entry without that signature, or one that is over another call, rule or time, opens nothing.',
  ),
  must('evidence.empty.detected', 'contract §4', 'An emptied list or file is found.'),
  must('evidence.broken-link', 'spec §2.5', 'A failed verification points at the index of the first broken link.'),
  must(
    'evidence.concurrent-writers',
    'contract §4',
    'Fifty writers at once, in several processes, make one gapless chain.',
  ),
  must(
    'evidence.append-only',
    'contract §4',
    'Every put is conditional, and the writer has no right to update or delete.',
  ),
  must(
    'evidence.secrets-redacted',
    'contract §4',
    'Sensitive values become digests salted with 128 bits; secrets never enter.',
  ),
  must(
    'evidence.salts-deletable',
    'contract §4',
    'Salts live in their own table, and deleting one leaves the chain valid.',
  ),
  must(
    'evidence.credential-provenance',
    'spec §2.5',
    'The credential used is recorded by id, type and scope, never by value.',
  ),
  must(
    'evidence.report.markdown',
    'spec §4.3',
    'The Markdown report of a session reads well and escapes hostile text.',
  ),
  must(
    'evidence.report.html',
    'contract §2',
    'The HTML report escapes hostile text and carries a Content-Security-Policy and nosniff.',
  ),
  must('evidence.sessions', 'contract §4', 'Sessions with evidence are listed in pages.'),
  must(
    'evidence.policy-version',
    'contract §4',
    'The manifest names every policy version that decided in the session.',
  ),
  must(
    'observations.once',
    'contract §4',
    'Whatever consumer of the stream stops where, every entry counts once; consumers side by side do not hold each other up.',
  ),
  must('evidence.archive', 'contract §4', 'The stream copies entries into an Object-Lock bucket under another role.'),
  must(
    'evidence.survives-kill',
    'contract §4',
    'kill -9 at any moment loses no acknowledged entry and leaves a valid chain.',
  ),
  must(
    'audit.filters',
    'contract §4',
    'GET audit filters by actor, kind, session, tool, decision, from, to and pages by cursor.',
  ),
  must('audit.admin-acts', 'contract §4', 'Administrative acts are entries of session admin-<tenant>-<UTC day>.'),
  must(
    'audit.verify',
    'contract §4',
    "Audit verify checks the tenant's chains in bounded pieces with a cursor and names the first broken link.",
  ),
  must('audit.projections', 'contract §4', 'Projections are idempotent, may lag, and can be rebuilt from evidence.'),
  must('evidence.chat', 'spec §1', 'Each chat call leaves one chat entry.'),
  must('audit.json-detail', 'spec §6', 'Audit detail is valid JSON even when prompts contain quotes.'),
];

const credentials: readonly Requirement[] = [
  must('credential.counted', 'spec §6', 'svc_credentials_total{broker,outcome} counts credentials issued and refused.'),
  must(
    'credential.minted',
    'spec §3.1',
    'An allow whose grant says so mints a credential with type, scope and expires_in.',
  ),
  must(
    'credential.scm-jwt',
    'spec §2.2',
    'A pull request gets type scm_app_jwt, scope pull_requests:write,contents:read, expires_in 600.',
  ),
  must('credential.rs256', 'spec §2.6', 'The Git-host app token is an RS256 JWT, iat 60 s back, at most 10 minutes.'),
  must('credential.static', 'spec §2.6', 'The static broker is a degraded fallback and says so.'),
  must('credential.list-revoke', 'spec §4.3', 'Active credentials can be listed and revoked.'),
  must('credential.never-shown', 'contract §4', 'A credential value appears in no answer, evidence entry or log.'),
  must(
    'credential.no-broader',
    'contract §3',
    'A broker that cannot mint the granted scope refuses; the call is not allowed with something broader.',
  ),
  must(
    'credential.sts',
    'spec §2.6',
    'The cloud broker assumes a role with a session policy compiled from the action.',
  ),
  must('credential.vault', 'spec §2.6', 'The vault broker leases database secrets, renews and revokes them.'),
  must('credential.cleanup', 'spec §2.6', 'A registry cleans up expired tokens.'),
  must('ticket.hmac-nonce', 'spec §2.6', 'Capability tickets are HMAC-signed, one-purpose and replay-protected.'),
  must(
    'ticket.redeem',
    'spec §2.6',
    'A service redeems the ticket it was handed, once, for the very call; each misuse is refused by its own name.',
  ),
];

const admin: readonly Requirement[] = [
  must('admin.routes', 'spec §4.3', 'Every route of the table answers at its path and method.'),
  must(
    'admin.rate-limit',
    'contract §2',
    'The admin surface takes 50 requests a second of a key, those of five seconds at once; above that 429 with Retry-After.',
  ),
  must('admin.stage-throttle', 'contract §2', 'On AWS each surface has a throttle that all its callers share.'),
  must('admin.whoami', 'spec §4.3', 'whoami shows role, kind and tenant of the caller.'),
  must('admin.usage', 'spec §4.3', 'usage counts per tenant, decision and tool.'),
  must('admin.violations', 'spec §4.3', 'violations lists blocked actions with breakdowns.'),
  must('admin.status', 'spec §4.5', 'Detailed health shows stores, versions, queues, sessions and recent violations.'),
  must(
    'admin.metrics-own-tenant',
    'contract §2',
    'Metrics show a tenant its own counters, and the platform all of them.',
  ),
  must('admin.metrics', 'spec §6', 'svc_policy_decisions_total{decision,protocol} counts decisions on /metrics.'),
  must('admin.openapi', 'spec §9', 'The OpenAPI description is generated from the routes and carries the one version.'),
  must('admin.bad-json', 'spec §4.3', 'Invalid JSON bodies are rejected with an error that says what was found.'),
  must('error.shape', 'spec §7.2', 'Errors are { error: { code, type, message } }.'),
  must('error.types', 'contract §6', 'Each error type has the status of the table.'),
  must('error.rpc-codes', 'spec §7.1', 'JSON-RPC codes are -32001 for block and -32002 for approval required.'),
  must('error.no-leak', 'contract §6', '5xx texts are generic and no answer holds a stack trace.'),
  must('error.not-found', 'contract §6', 'An unknown route or id is 404.'),
  must(
    'error.method',
    'contract §6',
    'A wrong method is 405 and names the allowed ones; OPTIONS is 405 without CORS; HEAD is GET on reads.',
  ),
  must('error.media-type', 'contract §6', 'A body that is not JSON by content type is 415.'),
  must('error.unknown-query', 'contract §6', 'An unknown query parameter is 400 and names the known ones.'),
  must(
    'json.exact-numbers',
    'contract §3',
    'A number of a call that JSON readers do not carry exactly is 400 or -32602 and says to send a string; every other one is stored, shown and forwarded in one form.',
  ),
  must('json.proto-key', 'contract §3', 'A member called __proto__ is refused on every surface; no other key is lost.'),
  must(
    'error.bad-input',
    'contract §6',
    'Hostile input gets the right status, says what was found and allowed, and writes nothing.',
  ),
  must('error.store-down', 'spec §7.2', 'When a store fails the answer is 503: fail closed.'),
  must('json.values', 'contract §3', 'A body of more values than are taken is 413 before it is parsed.'),
  must(
    'limit.hostile',
    'contract §5',
    'Requests that are made to stop the gateway get typed answers; /health answers beside them.',
  ),
  must(
    'limit.heavy-work',
    'contract §5',
    'Large texts are filtered, and large calls read, in worker threads; beyond their time a text is 413 and a call unclear, with no free worker 503.',
  ),
  must(
    'limit.heavy-call',
    'contract §5',
    'Large calls are evaluated, large results looked over and configurations checked in worker threads; beyond their time a call is 413 and a result is not shown.',
  ),
  must('limit.body', 'spec §8', 'A body above the limit is 413 by its actual size.'),
  must('cors.off', 'contract §1', 'Without allowed origins there are no CORS headers.'),
  must(
    'cors.preflight',
    'contract §1',
    'The gateway and MCP surfaces answer preflights of configured origins without a key; others are 403.',
  ),
  must(
    'cors.headers',
    'spec §1',
    'Answers, refusals and streams carry CORS headers for configured origins only, and let pages read what we wrote.',
  ),
  must(
    'cors.origins',
    'contract §1',
    'An allowed origin that no browser would send is refused with the configuration.',
  ),
  must(
    'log.action-line',
    'spec §6',
    'Each evaluated action logs ts, level, msg, envelope_id, tool, decision, latency_us.',
  ),
  must(
    'span.names',
    'spec §6',
    'Governing an action opens the spans of its stages, among them approval.enqueue and credential.issue.',
  ),
  operations('admin.graphql', 'spec §4.3', 'A GraphQL admin API offers 13 queries and 5 mutations.'),
  operations(
    'admin.federation',
    'spec §4.3',
    'Federation serves a configuration without keys and takes status of at most 1 MB and metrics.',
  ),
  operations('admin.rollouts', 'spec §4.3', 'Six rollout operations: create, list, get, pause, resume, rollback.'),
  operations('admin.analytics', 'contract §7', 'Analytics, alerts, requests and cost recommendations are readable.'),
  operations(
    'admin.alerts',
    'spec §2.10',
    'Alerts have a severity, can be acknowledged and resolve after 5 normal evaluations.',
  ),
  operations(
    'rollout.states',
    'spec §3.3',
    'Rollouts move pending, running, paused, completed, rolled_back, with automatic rollback on spikes.',
  ),
  operations('analytics.buckets', 'spec §8', 'Analytics keeps 1-minute buckets over 48 hours.'),
  operations(
    'plugin.marketplace',
    'spec §4.5',
    'Plugins can be searched, installed, listed and removed; downloads are HTTPS and at most 50 MB.',
  ),
  operations(
    'evaluation.webhook',
    'spec §6',
    'The evaluation webhook fires at its sampling rate with truncated content.',
  ),
  operations('operator.kubernetes', 'spec §1', 'A Kubernetes operator and multi-cluster federation exist.'),
  must('trace.ring', 'spec §8', 'The last 500 traces are kept.'),
  telemetry('trace.routes', 'contract §7', 'Traces are readable at traces and traces/{id}.'),
  must('trace.export', 'spec §1', 'Spans are exported over OTLP in batches of about 5 seconds.'),
  must('admin.cache', 'spec §4.3', 'cache shows hits, misses, hit rate and evictions.'),
  must('admin.budgets', 'contract §7', 'Budgets and providers are readable.'),
  operations('admin.budgets.forecast', 'contract §7', 'The forecast of budgets is readable.'),
];

const cli: readonly Requirement[] = [
  must('cli.test-action', 'spec §4.5', 'agentctl test-action evaluates an action; --dry-run records nothing.'),
  must('cli.pending', 'spec §4.5', 'agentctl pending lists pending approvals, with --json as JSON.'),
  must(
    'cli.vote',
    'spec §4.5',
    'agentctl approve and deny take --reviewer, else the person of the key, and --comment.',
  ),
  must('cli.show', 'spec §4.5', 'agentctl show prints the card of one approval; the beginning of an id is enough.'),
  must(
    'cli.evidence.verify',
    'spec §4.5',
    'evidence verify prints per-entry lines, then valid, total_entries, session_manifest_hash.',
  ),
  must('cli.evidence.export', 'spec §4.5', 'evidence export writes the bundle to --out.'),
  must('cli.evidence.report', 'spec §4.5', 'evidence report renders Markdown, and HTML with --html.'),
  must('cli.verify', 'spec §4.5', 'agentctl verify checks the audit chains and sessions.'),
  must('cli.status', 'spec §4.5', 'agentctl status shows the state of the gateway, with --json as JSON.'),
  must('cli.policy-tools', 'spec §4.5', 'simulate, why and diff-policy explain policy.'),
  must('cli.policy-versions', 'spec §4.5', 'policy history, current and rollback work on versions.'),
  must('cli.version', 'spec §4.5', '--version and -v print the version of package.json.'),
  must('cli.exit-codes', 'spec §4.5', 'Exit codes: 0 ok, 1 negative answer, 2 usage, 3 unreachable.'),
  must(
    'cli.finds-keys',
    'contract §2',
    'agentctl reads the keys file: the agent key for actions, the human key for votes.',
  ),
  must('cli.manifest', 'spec §4.5', 'agentctl manifest declares, lists, shows and removes tasks.'),
  operations('cli.supply-chain', 'spec §4.5', 'agentctl supply-chain verifies signed artefacts.'),
  must('cli.mcp-bridge', 'spec §7.1', 'The stdio bridge answers a JSON-RPC error when the gateway is unreachable.'),
  operations('cli.plugin', 'spec §4.5', 'agentctl plugin search, info, install, list, outdated, remove.'),
];

const hosts: readonly Requirement[] = [
  must(
    'local.ready',
    'contract §2',
    'The local run prints a banner and one ready line with URLs and keys_file, within 3 seconds.',
  ),
  must(
    'local.no-keys-in-files',
    'contract §2',
    'The banner shows generated keys to a terminal or a reader, and writes none into a file.',
  ),
  must(
    'executor.contained',
    'contract §3',
    "A program of the local shell executor sees neither the gateway's processes nor its state nor, unless allowed, a network; where that cannot be had none runs.",
  ),
  must(
    'store.lists-over-shards',
    'decision 0058',
    'Lists whose rows lie in several partitions come in one order, each row once, with cursors that stay where they were.',
  ),
  must(
    'store.append-leaves-index',
    'decision 0058',
    'A further entry of a session does not write the index of sessions.',
  ),
  must('store.spread', 'decision 0058', 'Sessions and entries of one tenant lie evenly over their partitions.'),
  must(
    'local.other-tables',
    'decision 0058',
    'A state folder whose tables have other keys is refused at start in one line that says what to do.',
  ),
  must(
    'store.sweep',
    'decision 0058',
    'The sweep reads what is due, puts off what cannot be healed, goes on where it stopped, and ends within its minute for 1,500 tenants.',
  ),
  must(
    'store.table-of-rates',
    'decision 0058',
    'The documented rates of keys are those of the items that the gateway writes.',
  ),
  must('local.drain', 'contract §2', 'SIGTERM drains and exits 0.'),
  must('local.same-machine-file', 'contract §3', 'The local clock interprets the same ASL file as AWS.'),
  must(
    'cloud.templates',
    'contract §3',
    'The stacks synthesize with encryption, PITR, TTL, streams and deletion protection where the tables say so.',
  ),
  must('cloud.least-privilege', 'contract §4', "Each function's role holds what the functions table says and no more."),
  must(
    'cloud.retained',
    'contract §3',
    'In production tables, buckets, the signing key and secrets outlive their stack, except where the deployment that creates them fails; functions, APIs, logs and queues leave with theirs, so a failed first deployment can be repeated.',
  ),
  must(
    'cloud.name',
    'contract §3',
    'A deployment with another name stands beside the first: stacks, physical names, roles and metrics are its own. A name that AWS would refuse is refused at synthesis.',
  ),
  must(
    'cloud.staged-release',
    'contract §3',
    'A new version of a function takes a tenth of its calls for five minutes, then all; an alarm of the function takes it back. Callers name the alias, never the function.',
  ),
  must(
    'cloud.concurrency',
    'contract §3',
    'A deployment reserves no concurrency by default; with concurrency=reserved what decides and votes keeps a part and what streams is capped.',
  ),
  must(
    'cloud.tags',
    'contract §3',
    "Every resource carries the deployment's name and stage and the tags of the operator.",
  ),
  must(
    'config.schema-number',
    'contract §1',
    'A stored configuration that uses nothing new is readable by older releases; one that does carries the number of its schema, and an older release refuses it with what to do.',
  ),
  must(
    'cloud.own-hosts',
    'decision 0070',
    "A deployment with a domain serves each surface at the root of its own host, tells functions and people these URLs, and switches the APIs' own names off.",
  ),
  must(
    'cloud.edge',
    'decision 0070',
    'CloudFront stands before the surfaces where an operator asks for it: HTTP/3, TLS 1.3, nothing cached or compressed, every header but Host passed on.',
  ),
  must(
    'cloud.edge-address',
    'decision 0070',
    "Behind CloudFront functions count wrong keys by the caller's address and answer for the host that the caller asked for; elsewhere the same headers count for nothing.",
  ),
  must(
    'cloud.origin-lock',
    'decision 0070',
    'Where CloudFront stands before them, the REST APIs refuse calls that do not carry its secret, of which templates hold references only.',
  ),
  must(
    'cloud.firewall',
    'decision 0070',
    'A regional web ACL limits the requests of an address, keeps the admin API to named networks, blocks no body and keeps no request.',
  ),
  must(
    'cloud.private-admin',
    'decision 0070',
    'A private admin API takes calls from one VPC endpoint alone, which named networks reach.',
  ),
  must(
    'cloud.vpc',
    'decision 0071',
    'Functions that call upstream servers run in the VPC that a deployment names; their code may not change its network interfaces.',
  ),
  must('cloud.nag', 'contract §2', 'cdk-nag finds nothing that is not acknowledged with a reason.'),
  must(
    'cloud.stage-differences',
    'contract §3',
    'The emulator templates differ from the real ones in the listed points only.',
  ),
  must(
    'cloud.early-start',
    'contract §3',
    'A function is composed and reads the configuration while it is loaded. What fails then, or is cut by a pause, is done by the first call, and no call is lost.',
  ),
  must(
    'auth.admin-token-apart',
    'contract §2',
    'On AWS no function reads the admin token: agentctl bootstrap stores its digest, and repeated replaces it.',
  ),
  must(
    'auth.keys-by-digest',
    'contract §2',
    'Keys named by key_env become digests when a configuration is stored or config refresh-keys is asked for; a look-up of a caller reads no secret.',
  ),
  must(
    'secrets.kept',
    'contract §1',
    'Values of secrets are kept for five minutes, and read again when what is stored changes or a provider refuses a key.',
  ),
  must(
    'cloud.own-answers',
    'contract §6',
    'What API Gateway answers itself has the status of its cause, both error shapes, and headers that let a page read it.',
  ),
  must(
    'cloud.access-logs',
    'contract §6',
    'Access logs name status, error and times of a request, and nothing that a caller sent.',
  ),
  must(
    'watch.rates',
    'contract §6',
    'An alarm on failures is raised by a share of calls that lasts, and no single failure raises one.',
  ),
  must(
    'watch.heartbeats',
    'contract §6',
    'A schedule that completes no run raises an alarm, also when there is no data at all.',
  ),
  must(
    'watch.alarms',
    'contract §6',
    'Throttled tables, dropped events, concurrency, dead messages, stuck approvals, refused checkpoints and disabled guards have alarms.',
  ),
  must(
    'watch.severity',
    'contract §6',
    'Each alarm is a page or a ticket and goes to that topic; alarms of one cause are joined.',
  ),
  must(
    'watch.runbook',
    'contract §6',
    'Each alarm has a heading in the runbook, which names only metrics, log lines and fields that exist.',
  ),
  must(
    'watch.emitted',
    'contract §6',
    'Alarms and dashboards ask for metrics under the names and labels that the code writes.',
  ),
  must(
    'watch.objectives',
    'contract §6',
    'An overview shows five objectives as the percentage that was good; searches carry labels.',
  ),
  must(
    'watch.key-of-a-line',
    'contract §6',
    'The log lines of chat calls and actions name tenant and key id, so that a request in an access log has an owner.',
  ),
  must(
    'watch.delivery-delay',
    'contract §6',
    'A first message about an approval is timed from the request on; a message that is given up is counted.',
  ),
  must(
    'cost.units',
    'contract §6',
    'Units of the tables that npm run cost computes with are those that the store reports for each kind of call.',
  ),
  must('cost.idle', 'contract §6', 'Alarms and secrets of an idle month are counted in the templates.'),
  must('cost.table', 'contract §6', 'The documented cost of a million calls is the one that npm run cost prints.'),
  must(
    'watch.canary',
    'contract §6',
    'A canary with keys of its own makes a governed round over HTTP each minute; rounds that fail or are missing are pages.',
  ),
  must(
    'cloud.secrets-without-values',
    'contract §2',
    'No template holds a value of a secret, so that no deployment puts one over what an operator stored.',
  ),
  must(
    'cloud.clients-have-time-outs',
    'contract §3',
    'A call to a service of AWS that is not answered ends as a typed error: a connection after 1 s, a row after 3 s, a body after 8 s.',
  ),
  must(
    'plane.same-handlers',
    'decision 0075',
    'The streaming plane serves chat, messages, models, token counts and MCP with the handlers of the functions, and nothing else.',
  ),
  must(
    'plane.caller-leaves',
    'decision 0075',
    'A caller that leaves the streaming plane lets the provider go within a second, and the call is recorded as aborted.',
  ),
  must(
    'plane.drain',
    'decision 0075',
    'On SIGTERM the streaming plane takes no further connection, lets calls end in time, cuts and settles the rest, and exits with 0.',
  ),
  must(
    'plane.store-down',
    'decision 0075',
    'Without its store the streaming plane answers 503; its health check asks no store, so that tasks are not replaced for it.',
  ),
  must(
    'plane.hosts',
    'decision 0075',
    'The streaming plane answers to the names of its load balancer and to addresses, and to no other Host.',
  ),
  must(
    'plane.caller-address',
    'decision 0075',
    "Behind a load balancer the caller's address is the last one of X-Forwarded-For, which the load balancer adds.",
  ),
  must(
    'plane.settings',
    'decision 0075',
    'The streaming plane is off by default; context that is incomplete or contradicts itself is refused at synthesis.',
  ),
  must(
    'plane.container',
    'decision 0075',
    'The container runs unprivileged on read-only files, without capabilities, public address or secret in its environment, and drains before ECS kills it.',
  ),
  must('plane.tls', 'decision 0075', 'The load balancer takes TLS; plain HTTP is allowed on stage dev alone.'),
  must(
    'plane.rights',
    'decision 0075',
    'The task role of the streaming plane holds the rights of the functions that it serves and no more.',
  ),
  must(
    'cloud.status-line-first',
    'spec §4.1',
    'Every answer of a streamed function, whole or in events, begins with its status and headers.',
  ),
  must('version.one', 'spec §9', 'Everything that prints a version reads it from package.json.'),
  must('version.paths', 'spec §9', 'Admin routes are under /admin/v1.'),
];

const chat: readonly Requirement[] = [
  must(
    'chat.completions',
    'spec §4.1',
    'POST /v1/chat/completions answers a chat completion, or SSE when stream is true.',
  ),
  must(
    'chat.messages',
    'spec §4.1',
    'POST /v1/messages gets the same policy, audit, transforms and aliasing; streams as Anthropic events.',
  ),
  must(
    'chat.messages.tool-use',
    'contract §5',
    'Tool use on messages is rejected by default and governed when configured.',
  ),
  must('chat.count-tokens', 'spec §4.1', 'count_tokens answers an estimate.'),
  must('chat.ws', 'spec §4.1', '/v1/ws is a persistent chat connection.'),
  must(
    'chat.ws-lost',
    'spec §4.1',
    'A WebSocket call whose worker never came gives its id and its place back; coming late, it is not answered.',
  ),
  must(
    'chat.ws-batches',
    'contract §5',
    'On AWS messages of a WebSocket call are posted once per 50 ms or 24 kB, in their order; the first at once, the last ones with the end.',
  ),
  must('chat.models', 'contract §5', 'GET /v1/models lists what the tenant may use.'),
  must('chat.unknown-fields', 'contract §5', 'Unknown fields pass through both ways.'),
  must('chat.pipeline.order', 'spec §1', 'The pipeline stages run in the order of the specification.'),
  must(
    'chat.input-policy',
    'spec §1',
    'keyword, regex, PII, WASM filters run on input; a block is 403 policy_violation.',
  ),
  must('chat.output-policy', 'spec §1', 'Filters run on output, in streams on decoded text.'),
  must(
    'filters.pii-linear',
    'contract §5',
    'Texts made to look like card numbers take time in proportion to their length.',
  ),
  must(
    'content.json-text',
    'contract §5',
    'Arguments of tool calls are filtered as their JSON decodes, in streams too; what is redacted leaves valid JSON.',
  ),
  must(
    'content.invisible',
    'contract §5',
    'Characters without ink neither hide a phrase nor part its words, whole and in streams; texts that need them pass unchanged.',
  ),
  must(
    'content.personal-data',
    'contract §5',
    'Each kind of personal data is found with a recall of 0.97 and a precision of 0.98 on a generated corpus.',
  ),
  must(
    'messages.provider-run',
    'contract §5',
    'With tool_use: govern, servers of the caller, tools that the provider runs and unknown betas are refused unless listed.',
  ),
  must(
    'content.every-text',
    'contract §5',
    'Filters look at every text of requests, replies and streams that is not known to be opaque, and across the parts of a message.',
  ),
  must('chat.filters.strictest', 'contract §5', 'All filters run; the strictest action wins.'),
  must('chat.review-202', 'contract §5', 'A content review answers 202 and is retried with X-Approval-Ref.'),
  must('chat.kill-switch', 'spec §7.2', 'The behavioural kill switch answers 403 session_blocked.'),
  must('chat.aliases', 'spec §1', 'Model aliases are resolved.'),
  must('chat.transforms', 'spec §1', 'System prompt injection and response transforms per tenant.'),
  must('chat.routing', 'spec §1', 'Glob routing with priority, round-robin and region groups.'),
  must(
    'chat.breaker',
    'spec §3.4',
    'A circuit breaker per provider trips and recovers; fallback where the route lists it.',
  ),
  must(
    'chat.breaker-shared',
    'decision 0057',
    'On AWS all environments share the breakers: they trip by what all saw, one environment probes at a time, and while nothing changes no round trip is added. Without the shared state each goes by its own.',
  ),
  must(
    'chat.provider-keep-alive',
    'spec §2.8',
    'A provider that keeps its connection alive without an event, or without an end, is left at its time-out.',
  ),
  must('chat.provider-error', 'spec §7.2', 'A provider failure is 502 with a generic message.'),
  must(
    'chat.abort',
    'contract §5',
    'A client that goes away closes the provider stream within a second and is billed as aborted.',
  ),
  must('chat.cache', 'spec §1', 'Exact and semantic cache, scoped by tenant.'),
  must('chat.traceparent', 'contract §5', 'traceparent is continued and forwarded.'),
  must('limit.rate', 'spec §8', 'RPM and TPM per tenant, exact across processes; 429 with Retry-After.'),
  must('limit.rate.fails-closed', 'spec §7.2', 'A failing limiter is 503.'),
  must(
    'limit.none',
    'contract §5',
    'A tenant without limits and budgets has no counters: its calls make no store step for them.',
  ),
  must(
    'limit.begun',
    'contract §5',
    'Where only the provider can end a call, its start is noted with the reservation, and not by a write of its own.',
  ),
  must(
    'limit.shards',
    'contract §5',
    'The counters of a tenant that many processes use are split into up to 64 items and merged again; no limit is passed, and no call is refused while the tenant has room.',
  ),
  must(
    'limit.lease',
    'contract §5',
    'A process that makes many calls of a split tenant without budgets spends from a lease of at most ten requests; all of a lease counts until it is returned or has left the window.',
  ),
  must(
    'limit.shed',
    'contract §5',
    'A call whose counters are too busy is 503 with Retry-After after three lost writes; above capacity most of the capacity is still used.',
  ),
  must('limit.budget', 'spec §8', 'Budgets alert at 80 %, warn at 90 %, refuse at 100 % with 429 budget_exceeded.'),
  must('limit.actual-body', 'spec §8', 'The token limiter measures the actual body.'),
  must('wasm.abi', 'spec §4.6', 'WASM filters follow the ABI and run sandboxed, one call at a time per instance.'),
  must('wasm.timeout', 'spec §8', 'A WASM call ends after its timeout; on_error decides.'),
];

const toolGateway: readonly Requirement[] = [
  must(
    'mcp.json-rpc',
    'spec §4.4',
    'The MCP gateway speaks JSON-RPC 2.0 and SSE; each tool call is an ActionEnvelope.',
  ),
  must(
    'mcp.older-sse',
    'spec §4.4',
    'The older HTTP+SSE transport works, whichever processes stream and messages meet.',
  ),
  must(
    'mcp.event-streams',
    'spec §4.4',
    'GET /mcp is 405, GET /sse 404 and subscriptions/listen -32601 where open streams are billed, unless the configuration offers them; a stream there ends after 25 s at the latest, and clients go on without.',
  ),
  must(
    'cancel.any-process',
    'contract §5',
    'POST /v1/requests/{id}/cancel and notifications/cancelled end a call in whichever process it runs, within about a second; what was streamed is billed, evidence says aborted and by which key; calls that end within a second cost no store step for it.',
  ),
  must(
    'cancel.owner',
    'contract §5',
    'Only the key that began a call, and for MCP only its session, cancels it; to others it is unknown (404). A call that has ended is 409.',
  ),
  must(
    'evidence.delivery',
    'contract §4',
    'Where the host does not see its callers, a chat entry says that delivery is unknown.',
  ),
  must(
    'mcp.stream-bound',
    'spec §4.4',
    'A key and a session have a bounded number of event streams open over all processes of AWS; one more is 429.',
  ),
  must(
    'mcp.conformance',
    'spec §4.4',
    'The official conformance suite finds the same directly and through the gateway, at 2025-11-25 and 2026-07-28.',
  ),
  must(
    'mcp.waiting',
    'contract §3',
    'A caller waits for a human by a task, input_required, a held answer or -32002 and the retry, by what its client can do.',
  ),
  must(
    'mcp.input-required',
    'contract §3',
    'A client that can open addresses is pointed to the approval; the call it sends again runs once, when approved.',
  ),
  must('mcp.request-state', 'contract §3', 'A forged or stale requestState is -32602 with data.reason; nothing runs.'),
  must('mcp.foreign-ids', 'contract §3', 'Tasks, sessions and requests of another key are as unknown as none.'),
  must('mcp.headers', 'spec §4.4', 'Headers that repeat a message must say what it says (-32020).'),
  must(
    'mcp.store-steps',
    'contract §4',
    'An MCP block takes at most three store steps in a row, an allow at most four.',
  ),
  must('mcp.sessions', 'spec §4.4', 'A session belongs to the key that opened it and survives its process.'),
  must('mcp.passes-through', 'spec §4.4', 'Results pass untouched but for secrets.'),
  must('mcp.names', 'spec §4.4', 'Names that collide between servers carry their server.'),
  must(
    'mcp.tool-classes',
    'contract §3',
    'The list of MCP tools shows capability, why, target argument and the decision of the policy in force.',
  ),
  must('mcp.hidden', 'spec §4.4', 'Tools that policy blocks in any case are not listed.'),
  must(
    'mcp.tool-bound',
    'contract §6',
    'A server that lists more tools than max_tools is refused with the bound; long lists are worked on in slices.',
  ),
  must(
    'mcp.answer-bounds',
    'contract §6',
    'An answer of a server with more values than max_result_values, or nested too deep, is refused before it is parsed.',
  ),
  must(
    'mcp.drift',
    'spec §1',
    'A changed tool definition is recorded once: a warning, or no call until a human accepts it.',
  ),
  must(
    'mcp.stdio-contained',
    'contract §3',
    'A stdio MCP server sees neither the processes nor the state folder of the gateway unless contained: false is written, which status shows; one that does not start says what it printed last.',
  ),
  must(
    'mcp.reads-governed',
    'contract §3',
    'Resources and prompts over MCP are decided as read_resource and get_prompt with capability read and leave evidence; lists hide what is blocked, and only what may be read is completed.',
  ),
  must(
    'mcp.forwarded-is-decided',
    'contract §3',
    'A server gets the arguments that were decided, digested and put into evidence, and protocol members by a list; everything else is refused.',
  ),
  must(
    'mcp.new-tool',
    'contract §3',
    'A tool that a known server offers for the first time is reported, and under drift: block waits for a human.',
  ),
  must(
    'mcp.families',
    'contract §3',
    'A server that offers tools of a name or family another one serves gets them under its own name, also while that one is silent.',
  ),
  must(
    'mcp.placement',
    'contract §3',
    'A call of test-action or of an approval goes to the server whose list has the tool; where that is not known nothing is sent.',
  ),
  must(
    'mcp.upstream-in-digest',
    'contract §3',
    'The server of a call is decided before it, and stands in digest, evidence and approval: the approved call goes there or is asked about again.',
  ),
  must(
    'mcp.resource-metadata',
    'contract §2',
    'RFC 9728 metadata says where and how a key is sent; a 401 points to it.',
  ),
  must('mcp.no-upstream', 'contract §6', '-32003 when no upstream serves the tool.'),
  must('mcp.upstream-error', 'spec §7.1', 'Upstream errors name tool and upstream and give a hint.'),
  must('behavior.rules', 'spec §1', 'Six anomaly rules score a session; above the threshold it is blocked.'),
  must('behavior.per-key', 'contract §2', 'Risk counts per session and per key.'),
  must('behavior.replay', 'spec §1', 'Score and alerts follow from evidence alone; each alert cites its entries.'),
  must('behavior.release', 'spec §1', 'Only a human administrator releases a blocked session, with evidence.'),
  must('behavior.false-positives', 'spec §1', 'Ordinary work stays far below the kill switch.'),
  must(
    'behavior.login-refused',
    'spec §1',
    'A login that an upstream refuses is noted with the outcome; five different ones alert.',
  ),
  must(
    'behavior.probing',
    'contract §2',
    'Many dry runs and simulations that are not allowed add points with the next call; so do many different calls that wait for a person.',
  ),
  must('behavior.foreign-approval', 'spec §1', "Naming another key's approval counts as misuse of a credential."),
  must('manifest.drift', 'spec §1', 'Manifest drift warns or blocks by enforcement_mode.'),
  must('manifest.history', 'spec §1', 'Drift of each kind is found over the history of a session.'),
  must('manifest.attach', 'spec §1', 'A manifest binds a session or a key, or is named by a call.'),
  must('manifest.routes', 'contract §7', 'Manifests are declared, shown and deleted by humans, with evidence.'),
  must(
    'corpus.tool-calls',
    'contract §3',
    'Of harmless everyday tool calls each pack allows at most 3 points fewer than when they were recorded.',
  ),
  must('effects.bypasses', 'contract §3', 'Known bypasses of shell and SQL rules become what they would do.'),
  must(
    'effects.profiles',
    'contract §3',
    'A shell program is read by its exact options and operands; what its profile does not know makes the line unclear.',
  ),
  must(
    'effects.below',
    'contract §3',
    'Showing whatever lies below a folder, or changed in a revision, is reviewed unless names or patterns narrow it.',
  ),
  must(
    'effects.differential',
    'contract §3',
    'A shell line that is allowed does, when it really runs, nothing beyond its effects.',
  ),
  must(
    'effects.dialects',
    'contract §3',
    'Shell text that shells read differently, or that runs what a variable holds, is unclear.',
  ),
  must(
    'effects.bounds',
    'contract §3',
    'Words, effects and nesting of a shell line are bounded; beyond them it is unclear.',
  ),
  must('effects.everyday', 'contract §3', 'Harmless everyday shell lines stay allowed about as often as before.'),
  must(
    'effects.http-known-parameters',
    'contract §3',
    'A parameter that may change where a request goes, or its method, makes the request unclear.',
  ),
  must(
    'effects.http-differential',
    'contract §3',
    'Host and path that are decided on are those the client of Node connects to and sends.',
  ),
  must(
    'effects.sql-closed-world',
    'contract §3',
    'A function, operator, cast or attribute of a SQL text that is not listed as harmless is a call.',
  ),
  must(
    'effects.sql-differential',
    'contract §3',
    'What sql-explorer allows changes nothing in a real PostgreSQL, and reads no file of its server.',
  ),
  must(
    'effects.sql-known-nodes',
    'contract §3',
    'A node of a SQL text that the reader does not know, or a member of one, makes the text unclear.',
  ),
  must('executor.bounds', 'spec §1', 'An executor goes no further than its envelope and bounds what it gives back.'),
  must('executor.no-secret', 'contract §4', 'Nothing of a credential comes back in a result.'),
  must(
    'executor.unknown-outcome',
    'contract §3',
    'What may have happened in spite of a failure is unknown, and not repeated.',
  ),
  must(
    'action.idempotency-key',
    'contract §3',
    'A request repeated under the Idempotency-Key of its caller is answered the first outcome, and is carried out at most once.',
  ),
  must(
    'action.no-allow-without-end',
    'contract §3',
    'An allowed action whose function ended without an outcome gets a result entry that says unknown.',
  ),
  must(
    'action.ends-before-its-function',
    'contract §3',
    'An execution is ended before the function that runs it, so that its outcome is recorded.',
  ),
  must(
    'aws.no-retry-after-unknown',
    'contract §6',
    'Where API Gateway waited in vain it answers 504 outcome_unknown without Retry-After, and says how to look the outcome up.',
  ),
  must(
    'configuration.executors-fit-their-host',
    'contract §1',
    'A configuration whose executors, behind a held approval, may take longer than their host allows fails the load.',
  ),
  must('executor.http', 'spec §1', 'HTTP goes to configured services only, at an address checked after resolution.'),
  must('executor.git', 'spec §2.2', 'Git operations are made over the REST interface of the host, never by force.'),
  must('executor.sql', 'spec §1', 'Reads run in READ ONLY transactions, values are bound, rows are capped.'),
  must('executor.shell', 'spec §1', 'Programs run without a shell, and no process outlives its call.'),
  must('executor.sandbox-function', 'spec §1', 'On AWS programs run in a function without network and rights.'),
];

const edgeProxy: readonly Requirement[] = [
  edge('edge.listeners', 'spec §4.2', 'TLS on 8443, h2c on 8444, HTTP/3 on 8445.'),
  edge('edge.routing', 'spec §4.2', '/api loses its prefix; /admin and /mcp keep theirs.'),
  edge('edge.alt-svc', 'spec §8', 'HTTP/2 responses advertise HTTP/3 with max-age 86400.'),
  edge('edge.load-shedding', 'spec §8', 'Three priority tiers; X-Priority: critical is protected.'),
  edge('edge.rate-limit', 'spec §8', 'A token bucket limits the edge, and an upstream breaker guards it.'),
  edge(
    'edge.counters',
    'spec §6',
    'svc_edge_requests_total, svc_edge_active_connections and svc_edge_loadshed_total count.',
  ),
];

export const requirements: readonly Requirement[] = [
  ...actions,
  ...policies,
  ...configuration,
  ...identity,
  ...approvals,
  ...evidence,
  ...credentials,
  ...admin,
  ...cli,
  ...hosts,
  ...chat,
  ...toolGateway,
  ...edgeProxy,
];
