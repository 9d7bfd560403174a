/**
 * Every behaviour of the gateway, as data: an id and one sentence. A test cites the ids it proves in its title:
 * `test('[approval.used-once] …')`. `test/unit/requirements.test.ts` fails when an id has no test, when a test cites an
 * unknown id, and when a deferred id has a test after all. `docs/reference/behaviour.md` is generated from this list.
 */

export interface Requirement {
  readonly id: string;
  readonly says: string;
  readonly proof: 'test' | { readonly deferred: string };
}

const must = (id: string, says: string): Requirement => ({ id, says, proof: 'test' });

const actions: readonly Requirement[] = [
  must(
    'action.normalised',
    'Every agent action becomes an ActionEnvelope and gets exactly one of allow, review, block.',
  ),
  must('action.allow', 'A rule that allows answers allow with matched_rule, policy and evidence_hash.'),
  must('action.block', 'A rule that blocks answers error -32001 and leaves a block entry.'),
  must('action.block.data', 'A block carries error.data.reason and error.data.suggested_alternative.'),
  must(
    'action.block.alternative-from-policy',
    'The suggested alternative is the nearest call the policy in force would allow or review, unless the rule states one.',
  ),
  must('action.review.queues', 'A review answers error -32002, queues a pending item and leaves a review entry.'),
  must('action.review.data', 'A review carries error.data.approval_url and error.data.queued_at.'),
  must(
    'action.default.fail-closed',
    "A call no rule matches gets the policy's default decision, which is review in pr-writer.",
  ),
  must('action.envelope-id', 'Each evaluated action gets a fresh UUID as envelope_id.'),
  must(
    'action.retry.approval-ref',
    'A retry with the approval_ref of an approved call is allowed with matched_rule approved:<envelope_id>.',
  ),
  must('action.retry.history', 'The identical call retried without approval_ref finds its approval.'),
  must('action.http-200', 'test-action answers HTTP 200 for every decision and 400 for an invalid body.'),
  must(
    'action.not-executed',
    'Without an executor for the tool the answer is allow without result, and evidence says not_executed.',
  ),
  must(
    'action.decide-only',
    'decide_only decides and records an action, and never executes it; the caller carries it out.',
  ),
  must(
    'action.reported-outcome',
    'The key whose decide_only call was allowed under a call_id records its outcome once, as a result entry; unknown ids, other keys and a second outcome are refused.',
  ),
  must('action.dry-run', 'dry_run evaluates with the live policy, records nothing and uses up nothing.'),
  must('action.no-secret', 'No answer holds a secret: of a credential only type, scope and expires_in are shown.'),
  must(
    'action.sizes',
    'An envelope above 256 kB is 413; a target above 4 kB, nesting above 64, duplicate keys and lone surrogates are 400.',
  ),
  must('action.store-steps', 'allow, block and review take at most three sequential store steps each.'),
  must(
    'action.decision-before-effect',
    'The decision entry is stored before the side effect, the result entry after it.',
  ),
  must(
    'action.judges',
    'One list of judges is asked about every call: actions, dry runs, hooks, MCP, tool calls of models, simulations, policy tests and approved calls. The reason is that of the judge that decided.',
  ),
  must('action.worst-wins', 'Several sources combine to the worst decision: block over review over allow.'),
  must(
    'action.same-class-everywhere',
    'Chat, MCP and Git hosts give a tool one capability and one target: the gravest verb anywhere in its name counts.',
  ),
  must(
    'action.arguments-tighten',
    'An argument that names a changing operation, turns a change on, names a place to write to or holds a program makes a call graver than its tool.',
  ),
  must(
    'action.claims-only-tighten',
    'A caller may claim a graver capability than the name of its tool says, never a lesser one.',
  ),
  must(
    'action.annotations-only-tighten',
    'What a server says of its tool in annotations never makes a capability less grave.',
  ),
  must('action.manifest-id', 'test-action accepts a manifest_id.'),
  must('action.executed', 'An allowed call is forwarded to its executor and its result is returned.'),
  must('action.result.pull-request', 'The result of a created pull request carries pr_url and pr_number.'),
  must(
    'action.large-result',
    'A large result goes to the object store by digest; whatever becomes of a result, its outcome is recorded.',
  ),
  must('action.normalisers', 'Shell text and SQL are parsed into operations before matching.'),
  must('action.sandbox-rules', 'Sandbox rules decide with matched_rule sandbox:<rule>.'),
  must(
    'action.sandbox-git-differential',
    'No Git command that the limits let pass moves a protected branch in a real repository.',
  ),
  must(
    'action.sandbox-git-patterns',
    'A refspec with a wildcard is held exactly if it may match a protected branch or the default one.',
  ),
  must(
    'action.sandbox-git-closed',
    'A Git command or call that is not known to leave protected branches and files alone is held by their limits.',
  ),
];

const policies: readonly Requirement[] = [
  must('policy.first-match', 'Rules are tried in order; the first that matches decides.'),
  must('policy.matched-rule', 'matched_rule is <protocol>:<tool-pattern> of the rule, or default when none matched.'),
  must('policy.globs', '* does not cross /, ** does, a lone * does; ?, {} and [] work; dots are ordinary.'),
  must('policy.case-folding', 'Protocol, tool and host names are folded in case; targets and parameters are not.'),
  must(
    'policy.normalised-paths',
    'Paths (.., //, ./) and Unicode look-alikes are normalised before matching; digests use the raw call.',
  ),
  must(
    'policy.arguments',
    'Rules on arguments: equals, in, glob, not_glob, min, max, max_length, absent; list[*] is every element; a missing path fails.',
  ),
  must(
    'policy.paths-any-case',
    'Conditions on path-named and not-text parameters of rules that block or review ignore case; what a rule allows, it allows as written.',
  ),
  must(
    'pack.git-host-reads',
    'The packs readonly, pr-writer and coding-agent allow the reading tools of a Git host over MCP by their bare names.',
  ),
  must(
    'policy.reasons',
    'The reason of a review or block names something of the call or of the condition of the rule that decided; suggestions do not ask for rules.',
  ),
  must('policy.relative-globs', 'A pattern that begins with ./ matches relative paths that do not climb.'),
  must(
    'policy.secret-files',
    'Files in which well-known programs keep keys, credentials, sessions and wallets are blocked over MCP, in shell lines and by the hooks of coding agents, whatever the way of reading; names that only look like these pass.',
  ),
  must(
    'policy.secret-names',
    'Shell lines that show only the name, size, times or line count of a secret file, such as ls, stat, wc and find, pass its guard; every option, variable or redirection that can show its contents keeps the block.',
  ),
  must(
    'policy.guards',
    "A pack's guards block secret files, keys, system accounts and ways out of the workspace in every protocol and every parameter that is a path; no rule lifts them.",
  ),
  must(
    'policy.git-any-case',
    'The target of a rule for protocol git that blocks or reviews matches in any case, because Git hosts know owner and name in any case; one that allows matches as written.',
  ),
  must(
    'policy.sent-with',
    'Guards, rules, effects, risk and the check for secrets look at everything a server is sent: metadata of the operator’s list, server state and answers count like parameters.',
  ),
  must(
    'policy.named-guards',
    'A pack refers to guards of the catalog by name; a document, a diff and the admin API keep the name, and an unknown one is refused with the names that exist.',
  ),
  must(
    'policy.guards.disable',
    'tool_policies.disable_guards puts a guard out of force, with a warning that status shows; an unknown name is refused.',
  ),
  must(
    'policy.capability-words',
    'A rule or call that names a capability other than read, write, execute or delete is refused with the words allowed.',
  ),
  must('policy.fails-closed', 'An error while evaluating never allows.'),
  must('policy.break-glass', 'Break-glass is an explicit opt-in, and each request under it is marked in evidence.'),
  must(
    'policy.governance-mode',
    'In governance mode an erring content filter blocks; in permissive mode it is logged and passes.',
  ),
  must('policy.default-decision', "The default decision is configurable and overrides the pack's."),
  must('policy.rules-before-pack', "Configured rules come before the pack's."),
  must('policy.shadowed-rule', 'A rule that can never match is refused at load with the rules that cover it.'),
  must('policy.analysis.exact', 'Analysis is exact: it equals brute force on a small alphabet.'),
  must('policy.analysis.budget', 'Beyond its state budget the analysis says «not analysed» instead of guessing.'),
  must(
    'policy.diff',
    'diff-policy lists every region whose decision changes with a shortest example, tightened and loosened apart.',
  ),
  must(
    'policy.diff-whole',
    'The difference of two versions also lists lifted guards, the rules of levels by level, and every key that differs by section without secrets: over HTTP, on the command line and in the console.',
  ),
  must(
    'policy.diff-approvals',
    'Two reviews differ for diff-policy where one asks less of an approval: fewer people, other teams or roles, no passkey.',
  ),
  must(
    'policy.lifted-by',
    'The difference of configuration files says of each own rule which rules and guards of the pack it lifts, with file and line of both.',
  ),
  must('policy.simulate', 'simulate evaluates calls against a policy and records nothing.'),
  must('policy.why', 'why shows, for a recorded action, each rule and the first condition that failed.'),
  must('policy.unknown-protocol-warns', 'A rule naming an unknown protocol only warns.'),
  must(
    'provenance.forms',
    'A value is found in a text in another case, spacing, grouping, order of a date, base64, hexadecimal, percent signs or JSON; a changed letter, dot, domain or amount is another value.',
  ),
  must(
    'provenance.longer-numbers',
    'A figure of a date, a time or a number in groups is not a number that the person said; under the name of the same part of a date (day, month, year, hour, minute) it is.',
  ),
  must(
    'provenance.disguises',
    'A value that stands in a result in another notation (escapes, letters apart or backwards, base64 in layers or cut over a list, powers of ten, cents, dates as seconds) is known to hold a part of it; a disguise of what the person said is not the word of the person.',
  ),
  must(
    'provenance.traced',
    'Each value of a call is traced to the words of the person, to the results of tools by name and server, or to neither; a part of it to what holds the part.',
  ),
  must(
    'provenance.rules',
    'A rule may ask for the source of an argument: source (the whole value), source_not (no part), source_some (some part), with globs of labels.',
  ),
  must(
    'provenance.fail-closed',
    'Where the source that a rule asks for is not known for certain, nothing is allowed on its account: the call is reviewed.',
  ),
  must(
    'provenance.session',
    'What tools gave back through the gateway, and the words of the person that came with a call or chat, are remembered for the session, bounded and for provenance.retention_hours; a result that cannot be remembered is not handed on.',
  ),
  must('provenance.no-text', 'The record of a session holds digests under a key of the session, and no text.'),
  must(
    'provenance.addresses',
    'An address of the web, of mail or of an account in a text that the person did not write is labelled address:<tool>, or address:unknown.',
  ),
  must(
    'pack.provenance',
    'Pack provenance lets writing calls pass whose destinations and amounts the person named, and reviews others, also texts with addresses from elsewhere.',
  ),
  must(
    'provenance.opened-pages',
    'Pack provenance opens a page whose address the person named or a search of the web found, and reviews one that another result links.',
  ),
  must(
    'provenance.figures',
    'On a corpus of tasks with planted attacks at least 99 % of attacks are stopped, 75 % of tasks need no human, and a task asks for at most 0.30 reviews.',
  ),
  must(
    'provenance.reasons',
    'Decision, evidence and approval card say where the values come from that a rule asks for: labels and actions, no values.',
  ),
  must(
    'provenance.chat',
    'Tool calls of a model are traced to the chat request itself: messages of the user, system messages, results of tools by name.',
  ),
  must(
    'provenance.prompt',
    'A host passes on the request of the person as prompt of an action or _meta["agent-governance-gateway/prompt"] of an MCP call; it is not forwarded. A justification counts where the key is a person’s.',
  ),
  must(
    'provenance.declared',
    'Values of a task that is attached to the session or key are trusted until the task ends; those of a task that a call only names are not.',
  ),
  must('provenance.idle', 'While no rule for a tool asks for a source, its calls cost no step of the store more.'),
  must(
    'provenance.analysis',
    'Analysis and diff know conditions on sources: each holds or not, whatever the values; examples name those that hold.',
  ),
  must('policy.upstream', 'A rule may name an upstream; decision, explanation, analysis and diff know it.'),
  must(
    'credential.grant-upstream',
    'A credential for protocol mcp names its upstream, or the load fails; no other server is given it.',
  ),
  must('pack.readonly', 'The readonly pack allows reads and nothing else.'),
  must(
    'pack.coding-agent',
    'The coding-agent pack lets an agent read, edit, test and commit in its workspace; pushes, packages, the network and files that run by themselves wait.',
  ),
  must('pack.pr-writer', 'The pr-writer pack reviews pull requests, blocks destruction, and defaults to review.'),
  must(
    'pack.recursive-reads',
    'A tool over MCP that reads the contents of every file below a folder is reviewed; a list of names is not.',
  ),
  must('pack.infra-review', 'The infra-review pack reviews what changes infrastructure.'),
  must(
    'pack.sql-explorer',
    'sql-explorer allows SELECT, reviews INSERT and UPDATE, blocks DELETE, DROP, TRUNCATE, GRANT and REVOKE.',
  ),
  must(
    'pack.sql-system-relations',
    'sql-explorer and readonly allow system relations that are listed as harmless, and review every other.',
  ),
  must(
    'pack.sql-everyday',
    'Of everyday queries sql-explorer allows no smaller share than before, but for three points.',
  ),
  must('policy-version.numbered', 'Storing a configuration makes a version, content-addressed and numbered 1, 2, 3 …'),
  must('policy-version.last-20', 'The last 20 versions are kept.'),
  must('policy-version.rollback', "Rollback atomically writes a new version whose content is the old one's."),
  must(
    'policy-version.import-once',
    'The file is imported only if it differs from the last imported one, so a rollback survives a restart.',
  ),
  must('policy-version.noticed', 'An instance notices a new version within 5 seconds.'),
  must(
    'policy-version.places',
    'Beside a version that came from a file, the file and line of each rule, guard and level rule are kept: why, approvals and simulate show them; a rollback keeps them, and no folder of the host is stored.',
  ),
  must(
    'policy-version.cited',
    'A version that evidence cites is explained by why however many versions follow it; the last 20 alone are listed and rolled back to.',
  ),
  must('policy-version.list-get', 'Versions can be listed and read: all, current, one.'),
  must(
    'policy-version.own-tenant',
    'A version and a difference of versions show callers other than those of the platform what decides for their tenants: no other tenant, none of its people, levels, callers and budgets, and no digest of a key.',
  ),
  must(
    'policy-version.listed',
    'Of a version, callers other than those of the platform read the members that are listed: one that is not listed is not shown.',
  ),
  must(
    'policy-version.own-warnings',
    'Warnings that callers other than those of the platform read concern their tenants: no key of another tenant, and no level of another.',
  ),
  must(
    'policy.hot-reload',
    'The local run reloads the configuration file when it changes; a bad file changes nothing.',
  ),
  must('policy.break-glass.alert', 'While break-glass is on, an alert is active.'),
];

const configuration: readonly Requirement[] = [
  must('config.unknown-keys', 'Unknown keys fail the load with YAML path, what was found and what is allowed.'),
  must(
    'config.did-you-mean',
    'A misspelt key, word, name or capability is refused, and a misspelt tool reported, with the one that was probably meant.',
  ),
  must(
    'config.unset-secrets',
    'The local host reports each secret that the configuration names and that has no value.',
  ),
  must('config.bad-words', 'Bad decision words, regexes and globs fail the load.'),
  must('config.provider-names', 'Empty provider names or types and duplicate providers fail the load.'),
  must('config.routes-known-providers', 'Routes naming unknown providers fail the load.'),
  must('config.tenants', 'Tenants without API keys and duplicate tenant ids fail the load.'),
  must('config.limits-not-negative', 'Negative rate limits and a negative max body size fail the load.'),
  must('config.keys', 'Duplicate, empty and conflicting tenant keys fail the load.'),
  must('config.key-env', 'Tenant keys may come from an environment variable by key_env.'),
  must('config.plain-key', 'A plain-string key is an operator key of kind agent without owner.'),
  must('config.schema-published', 'The JSON Schema in docs/reference is generated from the one zod schema.'),
  must(
    'repository.voice',
    'npm run check fails when documents, comments, errors or help texts leave the register of docs/contributing/voice.md.',
  ),
  must(
    'repository.github',
    'Forms, workflows, owners and updates for GitHub are valid YAML, name folders that exist, and run what every change runs.',
  ),
  must('repository.ports', 'No port of a capability is optional: a host that has none of a kind says so.'),
  must(
    'repository.exports',
    'An exported name is used by another file, and no function, constant or class is there for tests alone.',
  ),
  must(
    'repository.error-names',
    'What an error means is read of its class and fields; names are compared in one helper, for errors of other libraries.',
  ),
  must(
    'repository.dependencies',
    'Each declared dependency is used, each used one is declared, and programs run on the Node.js that package.json names.',
  ),
  must(
    'config.keys-described',
    'Every key has a description in the schema and in docs/reference; numbers name their unit and have a range.',
  ),
  must('config.put-reason', 'PUT config takes a reason of 1 to 500 characters and records it in the evidence.'),
  must('config.put', 'GET and PUT config show the configuration without secrets and store a new version.'),
  must(
    'config.wasm-entry',
    'A WASM policy entry takes name, type, action, path, timeout and on_error with the defaults of the table.',
  ),
  must(
    'config.provider-entry',
    'A provider entry takes name, type, enabled, base_url, api_key_env and models; mock is enabled by default.',
  ),
  must('config.base-url-drops-key', 'A changed base_url drops the stored key.'),
  must(
    'config.secrets-stay-bound',
    'A secret is sent to the addresses and used for the purposes it was entered for; only the configuration file changes that.',
  ),
  must(
    'config.address-secrets',
    'An address or a command of the configuration that holds a secret is refused, because readers of the configuration and data planes read it.',
  ),
  must(
    'config.shipped-files',
    'The shipped configuration takes the files that it names from the checkout or package, never from the folder where the gateway was started.',
  ),
  must(
    'config.regex-look',
    'A pattern that looks like a regular expression where globs are expected is warned of, with the glob that was probably meant.',
  ),
  must(
    'config.plain-secrets',
    'A key or another secret in plain text in a configuration file is warned of with its line and what to write instead; it is never shown.',
  ),
  must(
    'config.names-once',
    'Two entries of one name are refused with both entries; two rules of one name are warned of.',
  ),
  must('config.empty-file', 'An empty configuration, pack or table of cases is refused as empty, with what to write.'),
  must(
    'config.file-trouble',
    'A configuration file that does not load after it was saved is shown in health, status, policies, doctor and an alert until it loads again; the version in force stays. Only the platform reads what is wrong in it, and at which line.',
  ),
  must('config.prices', 'Prices come from a dated file; an unknown model is refused or estimated, never silently 0.'),
];

const identity: readonly Requirement[] = [
  must('auth.header', 'The key is taken from X-API-Key or Authorization: Bearer.'),
  must('auth.never-query', 'A key or the admin token in a query parameter or cookie is never accepted.'),
  must(
    'auth.digest-constant-time',
    'Keys are stored as SHA-256 digests, found by digest and compared in constant time.',
  ),
  must(
    'identity.person-tenants',
    'A person acts in the tenant of the key in use and in the tenants named for them, and in no other.',
  ),
  must(
    'identity.oidc-token',
    'A bearer token of a configured issuer is a credential: bounded, of a listed type and algorithm, signed by a published key, for a listed audience, with a subject and a bounded life; anything else is 401 invalid_token.',
  ),
  must(
    'identity.oidc-keys',
    'Keys of an issuer are fetched at most once in 30 seconds, used for a bounded time while it does not answer, and 503 afterwards.',
  ),
  must(
    'identity.oidc-mapping',
    'Claims lead to tenant, role, kind, person and owner by the first entry that holds; they never exceed it, and without an entry the answer is 403.',
  ),
  must(
    'identity.oidc-configuration',
    'Issuers, audiences, people and tenants of identity.oidc are checked when a configuration is loaded.',
  ),
  must(
    'identity.oidc-revoked',
    'A token whose subject, person or issuer left the configuration stops within five seconds: also in open connections, streams and approved calls.',
  ),
  must(
    'identity.oidc-votes',
    'A human with a token votes as the person its claim is mapped to; separation of duties holds across keys and tokens.',
  ),
  must('identity.oidc-evidence', 'Evidence names issuer, subject and owner of a caller with a token, never the token.'),
  must(
    'identity.oidc-mcp',
    'Over MCP a token must be for identity.mcp_resource; the RFC 9728 metadata names it and the issuers, and a 401 points there, so that OAuth clients sign in by themselves.',
  ),
  must(
    'identity.aws-callers',
    'A request that passed the IAM authoriser is its user or role as identity.aws.callers maps it, and 403 without an entry; the identity is read from the request context only, never from headers.',
  ),
  must(
    'identity.aws-api',
    'With -c iamCallers=on a REST API of its own has an IAM authoriser on every method: chat, MCP, test-action and whoami. Elsewhere a signed request is 401 with what to do.',
  ),
  must(
    'identity.oidc-sessions',
    'Limits, sessions and risk belong to a key id derived from issuer, subject, client and kind.',
  ),
  must('auth.missing', 'Without a credential every /admin/v1 route and /metrics is 401.'),
  must('auth.unknown-key', 'An unknown key is 401 authentication_error.'),
  must(
    'auth.before-body',
    'No body is read of a caller whose key is unknown or may not; before a WebSocket has a key, 8 messages of 4 kB are read.',
  ),
  must(
    'auth.failures-limited',
    'After 100 wrong keys of one address, others from there are 429; a key that was used from there before still works.',
  ),
  must('auth.revoked-key', 'A revoked key stops working within 5 seconds.'),
  must('auth.health-open', '/health is open and shows status and version only.'),
  must('auth.roles', 'admin includes operator includes viewer; each route refuses roles below its own with 403.'),
  must('auth.role-matrix', 'The whole role and kind matrix of the routes table holds over real HTTP.'),
  must('auth.audit-role', '/admin/v1/audit needs operator, /admin/v1/audit/verify needs admin.'),
  must('auth.no-admin-token', 'With no admin token and no admin key the admin surface refuses everything but /health.'),
  must(
    'auth.agent-kind',
    'An agent key may act, simulate and read its own sessions; no other mutating admin route, whatever its role.',
  ),
  must('auth.platform', 'Global things need the admin token or a platform key.'),
  must('auth.tenant-isolation', "Another tenant's ids are 404, not 403."),
  must('auth.principal', 'The acting principal is the authenticated key; actor.agent is a recorded label.'),
  must('auth.host-header', 'Listeners check the Host header.'),
  must('auth.generated-keys-loopback', 'Generated keys are refused on any host but loopback.'),
  must(
    'auth.keys-file',
    'The local run generates one agent, human and viewer key and the admin token, in a file of mode 0600.',
  ),
  must('session.source', 'The session is actor.session, else X-Session-ID, else one made per key, instance and hour.'),
  must(
    'session.unnamed-shared',
    'On AWS calls of a key that name no session share one an hour in all processes, and more only where its chain is contended.',
  ),
  must('session.form', 'A session id outside [A-Za-z0-9._:-]{1,128}, or of dots alone, is 400.'),
  must(
    'session.owner',
    'A session belongs to the key that opened it: another agent key naming it is refused with 403.',
  ),
  must(
    'session.owner.race',
    'Of two agent keys that open the same session at once exactly one gets in; the other is refused with 403 and leaves no entry in it.',
  ),
  must('session.tenant-scope', 'Sessions of the same name in two tenants are two sessions.'),
  must('sod.humans-only', 'Only humans vote: an agent or service key voting is 403.'),
  must(
    'sod.own-request',
    'No person votes on a request made with a key that is theirs or that they own: 403 separation_of_duties.',
  ),
  must('sod.by-person', 'Humans are compared by person, not by key.'),
  must('sod.unmapped-chat', 'A chat identity mapped to no person has no vote.'),
  must('auth.federation-token', 'Federation uses a bearer token compared in constant time; only its digest is kept.'),
  must(
    'federation.plane-token',
    'The token of a data plane passes at the routes for planes and at no other, and speaks for its own plane only: else 403.',
  ),
  must(
    'federation.token-rotation',
    'A plane may have several tokens while one is replaced; a token that is no longer listed is refused within five seconds.',
  ),
  must('auth.tls', 'The edge speaks TLS 1.3 with ECDSA P-256 / X25519.'),
  must('auth.provider-keys', 'Agents never hold provider keys; a broker injects them.'),
  must('auth.secret-env-allow-list', 'Environment names for secrets come from an allow-list.'),
  must('auth.priority-critical', 'X-Priority: critical counts only for keys with priority critical.'),
];

const approvals: readonly Requirement[] = [
  must(
    'approval.item',
    'The pending list is { pending: [...] } of items with envelope_id, actor, tool, target, parameters, queued_at, justification.',
  ),
  must(
    'approval.record',
    'Approving answers the record: envelope_id, status, reviewer, approved_at, comment, evidence_hash.',
  ),
  must('approval.evidence-linked', 'The approval record is an entry of the chain with reviewer, time and comment.'),
  must('approval.reviewer-required', 'A vote without a reviewer is 400; the comment is optional.'),
  must(
    'approval.reviewer-beside-person',
    'The reviewer text is recorded beside the authenticated person, never instead of it.',
  ),
  must(
    'approval.denied',
    'A denied call stays denied: the same id with reason denied for approvals.denial_lifetime (its session by default), then a new request.',
  ),
  must(
    'approval.denial-told',
    'A denial reaches the agent as a block by denied:<envelope_id> with reviewer and comment, whichever way it waits.',
  ),
  must(
    'approval.expired-asks-anew',
    'A request no reviewer decided in time opens no obstacle: the identical call is review again with reason expired.',
  ),
  must('approval.timeout', 'A pending approval whose time is over is denied by system with reason timeout.'),
  must(
    'approval.timeout-told',
    'Texts about a request that no reviewer decided in time say that it timed out, to people and to agents.',
  ),
  must('approval.vote-after-expiry', 'A vote after expires_at is 409, whatever the clocks did: the row decides.'),
  must('approval.decided-twice', 'A second decision is 409 conflict with the record.'),
  must(
    'approval.pending-cap',
    'At most approvals.max_pending_per_key requests of a key, and a bound of its tenant, wait for a person; a further one is 429, asks no reviewer, and the first of a minute is evidence.',
  ),
  must(
    'approval.strictest-terms',
    'Where several rules review a call, of levels or of its effects, an approval needs a passkey if one of them asks for it, within the shortest of their times.',
  ),
  must(
    'approval.needs',
    'simulate, a dry run and why say how many approvals a review needs and of whom, unless one approval of any reviewer is enough.',
  ),
  must(
    'approval.obstacle',
    'A pending approval says on item, list and card when an approval would not let its call run: its key was taken back, a rule blocks it by now, or the kill switch has stopped its session or key.',
  ),
  must(
    'approval.similar',
    'A pending approval names other pending requests of its key whose call differs at most in case, spaces or the form of characters; the answer to a vote names those that are still pending.',
  ),
  must(
    'approval.several-people',
    'A rule of a tool policy says how many people approve its calls, and of which teams and roles, without an organisation; votes count as for rules of separation.',
  ),
  must(
    'config.several-people',
    'Other ways to ask for several people for one tool are refused with the rule that does, and so are unknown teams; too few voters is a warning.',
  ),
  must(
    'approval.terms-now',
    'A passkey, further votes or a shorter time that the configuration asks for while a request waits is asked of that request on every channel, and shown; nothing that was asked when it was queued is taken off.',
  ),
  must('approval.used-once', 'An approval is used once; a second use is review again with a reason.'),
  must('approval.race', 'Of twenty simultaneous uses of one approval exactly one is allowed.'),
  must('approval.bound.session', 'Another session using an approval_ref gets review with the reason.'),
  must('approval.bound.key', 'Another key using an approval_ref gets review with the reason.'),
  must('approval.bound.parameters', 'Changed parameters with an approval_ref get review with the reason.'),
  must(
    'approval.chat-headers',
    'The approval of a chat covers the headers that its provider would get, and shows them.',
  ),
  must('approval.bound.digest', 'The call digest is SHA-256 over the canonical call and holds no ids or times.'),
  must('approval.never-lifts-block', 'An approval never lifts a block.'),
  must('approval.policy-changed', 'When another rule matches at use, it is review again with policy_changed.'),
  must('approval.use-expires', 'An approved call not used in time is review again with the reason.'),
  must('approval.pending-same-id', 'The identical call while pending answers the same envelope_id.'),
  must('approval.url', 'approval_url is <admin_url>/admin/v1/approvals/<envelope_id> and never decides on GET.'),
  must(
    'approval.card',
    'The approval shows key, owner, upstream, effects of the raw call in words, rule with reason, risk and expiry; labels as labels.',
  ),
  must(
    'approval.browser-page',
    'A browser without a key at approval_url is sent to the console; where none is served it gets a page on how to decide. Neither holds data, and API clients get 401.',
  ),
  must(
    'approval.secret-in-program',
    'Text that will be executed is never hidden in part: a call with a secret in it is refused, and the answer says to pass it by reference.',
  ),
  must(
    'evidence.redaction-bounded',
    'What is withheld of a text is the secret itself, not the words that stand behind it.',
  ),
  must('approval.withheld', 'Where a sensitive value is withheld from the reviewer, the item says so.'),
  must('approval.history', 'History filters by approved, denied and expired.'),
  must('approval.pages', '1,000 pending approvals list fast and in pages.'),
  must(
    'approval.states',
    'pending → approved | denied; approved → executing under a lease → consumed with an outcome; every other move is refused.',
  ),
  must('approval.lease-unknown', 'A lease that ends without an outcome is unknown and is never retried blindly.'),
  must('approval.one-table', 'Every move of an approval is made by one table of states and events.'),
  must('approval.one-transaction', 'Every move is one transaction with its evidence entry.'),
  must(
    'approval.machine',
    'The state machine announces, waits for the task token and settles; its states agree with the transition function.',
  ),
  must('approval.clock-recovers', 'The sweep starts clocks that did not start and denies what expired.'),
  must('approval.cleanup', 'Expired approvals can be cleaned up.'),
  must(
    'approval.on-approval.execute',
    'With on_approval execute the state machine runs exactly this call once, and the identical call returns its stored result.',
  ),
  must(
    'chat.review-once',
    'An approval of a chat call lets one call through, also under on_approval execute, where neither the state machine nor a stored result takes its place.',
  ),
  must(
    'approval.execute-collected',
    'Under on_approval execute identical calls collect the result of the one execution, which the state machine or a caller began, and attach to the approval while it runs.',
  ),
  must(
    'approval.caller-executes',
    'A call that its caller runs itself is approved and never run by the gateway, also under on_approval execute.',
  ),
  must(
    'approval.execute-asks-again',
    'Before the gateway makes an approved call, kill switch, key, tenant, tasks and policy are asked again.',
  ),
  must(
    'approval.given-back',
    'An approval whose credential could not be minted is given back, with evidence, and used up by no failure to mint.',
  ),
  must(
    'credential.due-after-its-holder',
    'A credential is called back by the sweep only after the longest execution that may hold it has ended.',
  ),
  must('approval.lease-renewed', 'An approved call that outlasts its lease renews it while it runs.'),
  must(
    'approval.restart',
    'Pending approvals survive kill -9; an approval granted before still works after; nothing runs twice.',
  ),
  must('approval.expired-while-down', 'Approvals that expired while the gateway was down are denied at start.'),
  must('slack.signature', 'The Slack callback checks the v0 signature over the raw body and a 5-minute window.'),
  must('slack.replay', 'A replayed Slack callback is refused.'),
  must(
    'slack.confirmed',
    'A click decides nothing: a dialog that names the call asks for a confirmation. If Slack opens none, a button that Slack asks to confirm replaces it.',
  ),
  must('slack.comment', 'The dialog takes an optional comment, which is recorded with the vote.'),
  must(
    'slack.acknowledged-first',
    'A click or a submitted dialog is acknowledged before its vote is recorded, the acknowledgement claims nothing, and the outcome is posted afterwards.',
  ),
  must(
    'notify.within-seconds',
    'What is enqueued is sent by the stream of its table, without waiting for the schedule; order and duplicates are kept.',
  ),
  must(
    'notify.until-nothing-is-due',
    'The schedule sends what is due page after page until nothing is, or its time is over.',
  ),
  must(
    'slack.own-workspace',
    'A Slack account is that of its own workspace, also in a channel that two workspaces share.',
  ),
  must('slack.vote', 'A confirmed Slack button votes as the mapped person and the message is updated.'),
  must(
    'notify.escalation',
    'A channel of approvals.escalate_to hears of a request when half of its time is over and it still waits, and of its decision only then.',
  ),
  must(
    'notify.digest',
    'Where more requests of a tenant wait than approvals.digest.above, further ones come in one message at the end of a window, which is written again; grave and short-lived ones come alone, and none is lost.',
  ),
  must('notify.events', 'Notifications go out when an approval is submitted, approved and denied.'),
  must(
    'approval.list-bounded',
    'Lists of approvals hold items of bounded size: long fields are shortened and named with their size, and the item route has the whole call.',
  ),
  must(
    'approval.whole-or-deny',
    'Where a message cannot show all of a call and of what its caller says, it names all parameters, can be denied there, and is approved elsewhere: also the vote of an older message is refused.',
  ),
  must(
    'approval.seen',
    'Characters that are not known to leave ink are spelled out wherever people read texts of agents.',
  ),
  must('notify.slack-buttons', 'Slack buttons carry only the id.'),
  must(
    'approval.card-place',
    'Slack messages, pull-request comments and webhooks name the file and line of the rule that asks for a person, as code.',
  ),
  must(
    'provider.encoded-reply',
    'No encoding is asked of a provider; a reply that comes compressed by gzip, deflate, brotli or zstd is still read, streams as they are written, and its length counts uncompressed.',
  ),
  must(
    'clients.odd-inputs',
    'Every option of the official clients reaches its provider as it was said, and what a provider answers wrongly ends as the typed error of the client with a request id.',
  ),
  must(
    'admin.requests-provider',
    'The list of requests names the provider of a call, or where none answered the one that was asked last.',
  ),
  must('cli.request-id', 'An error of the gateway or of a provider is shown with the id under which the log has it.'),
  must('cli.held-is-said', 'At a terminal test-action says after two seconds that a call that needs a person is held.'),
  must('notify.webhook-signed', 'The generic webhook is signed.'),
  must(
    'notify.evaluations-only',
    'Functions that answer chats may queue calls for the evaluator, and no message to approvers.',
  ),
  must('notify.retries', 'Delivery is retried, ends in a dead letter, and never blocks the caller.'),
  must('approval.hold', 'With hold_seconds the call is held and answers in place if decided in time.'),
  must(
    'approval.pr-comment',
    'An approval is asked for and given by pull-request comments; the question is rewritten once it is decided.',
  ),
  must(
    'pr-comment.place',
    'It is asked for on the pull request the call is about, if its repository is listed, else on the fixed one, else not there.',
  ),
  must(
    'pr-comment.text',
    'What others wrote is shown as code it cannot leave, mentions no person, and fits what the host takes.',
  ),
  must(
    'pr-comment.signature',
    'A delivery is verified by HMAC-SHA256 over its raw bytes, with the present or the previous secret.',
  ),
  must(
    'pr-comment.command',
    'A vote is one command on the first line of a new comment on the pull request where it was asked for.',
  ),
  must(
    'pr-comment.voter',
    'It is counted for mapped people who may write to the repository now; no bot, no stranger, no person on their own request.',
  ),
  must('pr-comment.push', 'A push after the question makes an approval void; a denial counts still.'),
  must(
    'pr-comment.untouched',
    'An approval counts only while the question says what the gateway wrote; a denial counts still.',
  ),
  must('pr-comment.once', 'A comment is taken once; one that met an outage of the host can be delivered again.'),
  must(
    'approval.events',
    'GET approvals/events streams new, voted, decided and expired requests of the tenant: bounded, resumable, 405 where a host opens no stream.',
  ),
  must(
    'approval.passkey',
    'A passkey of the voter signs the approval and its call; origin, host, user verification and sign count are checked, and another request is refused.',
  ),
  must(
    'approval.passkey-required',
    'A rule with approval.require_passkey takes no approval without a passkey, on any channel; denials need none.',
  ),
  must(
    'approval.passkey-registered',
    'A person registers and removes passkeys with an own human key: a challenge for one use, evidence of each.',
  ),
  must('approval.chat-202', 'A review of chat traffic answers 202 and suspends the request.'),
];

const evidence: readonly Requirement[] = [
  must('evidence.chain', 'Each entry is linked by SHA-256 to the previous one; the first has previous_hash "".'),
  must('evidence.hash-format', 'hash = SHA-256(0x00 ‖ JCS(entry without hash)); manifest hashes use 0x01.'),
  must(
    'evidence.one-text',
    'An entry is serialised once: its hash, the stored item and the projection share one canonical text.',
  ),
  must(
    'evidence.kinds',
    'A session lists allow, block, review, approve, deny and result entries; one envelope may yield several.',
  ),
  must(
    'evidence.manifest',
    'A session ends with a manifest: totals, hashes, counts, versions, credentials, session_manifest_hash, signature.',
  ),
  must('evidence.signature', 'The manifest is signed with ECDSA P-256 once per session and last hash.'),
  must('evidence.export', 'Export is one JSON file: format, manifest, entries, public_key.'),
  must('evidence.export.streams', 'Export is streamed.'),
  must('evidence.verify.live', 'Live verification answers valid and total_entries and compares with the stored head.'),
  must(
    'evidence.verify-streamed',
    'A bundle is verified entry by entry with the verdict it has as a whole, however its bytes arrive; one that changes meanwhile is not valid.',
  ),
  must(
    'evidence.in-force',
    'The configuration and keys in force are those that administrative acts put in force, budgets have spent at least what calls of the period cost by their entries, and risk is what entries come to; accepted tool definitions, task sheets, tickets, credentials and bindings of secrets are those of their acts; a row that was changed past the gateway is named with what evidence says.',
  ),
  must('evidence.verify.offline', 'A bundle verifies offline with the public key alone, the server stopped.'),
  must('evidence.verify.origin', 'Without a trusted public key the verifier says origin not checked and exits 1.'),
  must('evidence.edit.detected', 'Any changed byte of an entry is found at its index.'),
  must('evidence.truncation.detected', 'A dropped tail and a dropped head are found.'),
  must('evidence.order.detected', 'Swapped, removed and duplicated entries are found.'),
  must('evidence.foreign.detected', 'An entry of another session and a forged result are found.'),
  must(
    'evidence.checkpoint',
    'Where chains stand is signed in batches, beside the archive and never within a commit; verification compares with it and says in not_checked what it could not compare.',
  ),
  must(
    'evidence.checkpoint.continues',
    'A chain that does not continue its last checkpoint is signed neither as a manifest nor as a checkpoint; the refusal is logged and counted.',
  ),
  must(
    'evidence.checkpoint.file',
    'The local checkpoint file is append-only, chained and of mode 0600: edits, gaps and strangers’ lines are found, a line that a crash or a full disk cut is dropped.',
  ),
  must(
    'evidence.checkpoint.bundle',
    'A bundle carries the newest checkpoint of its session with the proof that a stranger checks offline.',
  ),
  must(
    'evidence.rewriting.found',
    'What an attacker with full access to the tables rewrites, cuts, forks, back-dates, swaps, replaces or deletes is found by verify and audit verify, with its place.',
  ),
  must(
    'evidence.archive.batch',
    'A batch of a session is one archive object; repeated or cut otherwise it is read back once, beside objects of single entries.',
  ),
  must(
    'evidence.large-sessions',
    'A session of any length is exported, listed and verified in pieces; chain and archive are read side by side and never held whole.',
  ),
  must(
    'evidence.archive.check',
    'Heads are compared with the archive on demand and daily: entries without a copy and contradictions are named, counted and watched by an alarm.',
  ),
  must(
    'evidence.archive.repair',
    'What is missing in the archive is archived, checkpointed and counted from the table if it follows the copies beside it; the act is recorded.',
  ),
  must(
    'evidence.retention',
    'Rows older than evidence.retention_days are removed once they equal their archived copies under a checkpoint; head and last row stay, and verification reads the copies and says so.',
  ),
  must(
    'evidence.archive.names',
    'Every allowed session and tenant has a file of its own in the local archive and log, on file systems without case too; files under the names of earlier releases are read on.',
  ),
  must(
    'evidence.archive.lines',
    'Archive and bridge split at "\\n" alone, on bytes: a text of any characters takes no other entry or message with it.',
  ),
  must('evidence.archive.read', 'The archive is read back and compared with the chain, entry by entry.'),
  must(
    'evidence.key-id',
    'The key_id of a signature by a key file, and the public_key of a bundle that is verified with a trusted key, have to be those of the key that signed.',
  ),
  must(
    'evidence.keys.rotate',
    'The signing key rotates: manifests and checkpoints verify under the key of their key_id, and a statement signed by both keys links them for verifiers that pinned one.',
  ),
  must(
    'evidence.keys.one-per-store',
    'A process with another signing key than the store was begun with is refused at start, and nothing is written.',
  ),
  must(
    'evidence.keys.published',
    'The public keys that evidence was signed with are listed, with the statements that link them.',
  ),
  must(
    'evidence.single-file',
    'A session is saved as one HTML file with its bundle and the verifier: it verifies itself offline, says when it shows something else than its bundle, and loads nothing.',
  ),
  must(
    'evidence.passkey-proven',
    'A vote that a passkey signed is verified offline with the public key of an earlier entry of the same chain.',
  ),
  must(
    'evidence.approval-proven',
    'An entry approved:<id> or denied:<id> without an earlier vote of that id over the same call, or a second use of one, makes the chain invalid at that entry.',
  ),
  must(
    'approval.evidence-decides',
    'A vote counts when the evidence holds its entry over the same call; a row that claims another one is refused with not_in_evidence, and the refusal is recorded.',
  ),
  must(
    'approval.vote-signed',
    'The function that takes an approving vote signs its entry; an approve entry without that signature, or one that is over another call, rule or time, opens nothing.',
  ),
  must(
    'approval.votes-proven',
    'An approval by several people is used only where each vote that it lists has an entry which the voting function signed, for the same call and the same key; verification finds a listed vote without an entry.',
  ),
  must(
    'approval.cancelled-hold',
    'A caller that cancels its held call withdraws the request: it is denied as withdrawn, with evidence, and a later vote is a conflict. A caller that only goes away does not.',
  ),
  must(
    'approval.caller-gone',
    'A held call whose caller is gone does not run when it is approved: the identical call that comes back runs, once. The pending item says since when the caller is gone.',
  ),
  must(
    'approval.hold-asks-again',
    'A call that is approved while it is held is made only where its key still exists, neither its session nor its key was stopped, the configuration is the one that it was decided by, and the server describes the tool as it did in what matters; else it is answered so that it can be sent again, and the repeated call is decided by what holds then.',
  ),
  must(
    'approval.resend-asks-again',
    'A call that is sent again once it is approved is made only where its server still describes the tool as it did in what matters when the approval was asked for: the list of tools is read again, once for each approval that would be used. Else nothing is sent, and the approval stays unused.',
  ),
  must(
    'approval.shown',
    'The signature of a vote covers what the reviewer was shown. Where that is not the call, because the row was changed, the approval opens nothing, also where secrets are withheld from the row.',
  ),
  must('evidence.empty.detected', 'An emptied list or file is found.'),
  must('evidence.broken-link', 'A failed verification points at the index of the first broken link.'),
  must(
    'evidence.unreadable-named',
    'An entry whose stored row holds no JSON is the first broken link of its session, in the verification of the session and of the tenant.',
  ),
  must('evidence.concurrent-writers', 'Fifty writers at once, in several processes, make one gapless chain.'),
  must('evidence.append-only', 'Every put is conditional, and the writer has no right to update or delete.'),
  must('evidence.secrets-redacted', 'Sensitive values become digests salted with 128 bits; secrets never enter.'),
  must(
    'evidence.secrets-derived',
    'What is withheld of a call is left out of the texts made from it: the reason of its decision, its effects, the drift from its task, the signals of risk and the card of the reviewer. Words of people, such as the name of a task or the reason of a release, are recorded without secrets.',
  ),
  must(
    'evidence.texts-stay-texts',
    'A target, a justification, a comment or the name of a reviewer that is withheld whole stays a text.',
  ),
  must('evidence.salts-deletable', 'Salts live in their own table, and deleting one leaves the chain valid.'),
  must(
    'evidence.report-withheld',
    'A report tells a value that is withheld as a whole from a text without its sensitive parts, and from parameters that are too long for the entry of a block.',
  ),
  must('evidence.credential-provenance', 'The credential used is recorded by id, type and scope, never by value.'),
  must('evidence.report.markdown', 'The Markdown report of a session reads well and escapes hostile text.'),
  must(
    'evidence.report.links',
    'In the HTML report a row of the timeline leads to its action, an approval to the call that used it; actions fold, all of them at the start where there are many.',
  ),
  must(
    'evidence.report.html',
    'The HTML report escapes hostile text and carries a Content-Security-Policy and nosniff.',
  ),
  must(
    'evidence.report-log',
    'A report says which leaf of the transparency log the session is and which witnesses saw it, and is not valid where the chain is not the logged one.',
  ),
  must('evidence.sessions', 'Sessions with evidence are listed in pages.'),
  must('evidence.policy-version', 'The manifest names every policy version that decided in the session.'),
  must(
    'observations.once',
    'Whatever consumer of the stream stops where, every entry counts once; consumers side by side do not hold each other up.',
  ),
  must('evidence.archive', 'The stream copies entries into an Object-Lock bucket under another role.'),
  must('transparency.tree', 'Trees are those of RFC 6962 and grow from their frontier alone.'),
  must(
    'transparency.proofs',
    'Inclusion and consistency proofs hold for their own leaf, place and sizes, and for no other.',
  ),
  must(
    'transparency.once',
    'A signature over a checkpoint that held is not computed again for the next bundle under the same checkpoint; any other text, signature or key is checked.',
  ),
  must('transparency.tiles', 'Tiles and entry bundles have the paths and bytes of C2SP tlog-tiles, in one spelling.'),
  must(
    'transparency.notes',
    'Checkpoints are signed notes with Ed25519 keys; a witness adds a cosignature/v1 with its time.',
  ),
  must(
    'transparency.log',
    'Where each session stands is appended once to the log of its tenant, by one conditional write of the head for each batch; a head that the log did not sign takes nothing.',
  ),
  must(
    'transparency.aws',
    'On AWS the projector appends to the log under a key of KMS and objects that are put once; readers write nothing and show a batch that is committed and not put yet.',
  ),
  must(
    'transparency.key-rotation',
    'The key of the log can be rotated: the log keeps its name and tree, both keys sign for a while, bundles name the keys, and witnesses and verifiers accept the keys they are given and no other; earlier bundles verify under the earlier key.',
  ),
  must(
    'transparency.shared-store',
    'Gateways that share a store keep one log in it: one head, objects put once, one key. A process with another key is refused; writers side by side that stop anywhere lose and double no leaf.',
  ),
  must(
    'shared.archive',
    'Gateways over one store that name one bucket keep archive and checkpoints there, so each verifies what the others wrote; without a bucket, status says that both end with each folder.',
  ),
  must(
    'shared.gateways',
    'Gateways over one store with the same keys are one: sessions, approvals, limits and exports of one hold at the others, and no gateway removes rows of evidence because its own archive has them.',
  ),
  must(
    'shared.keys',
    'The keys of gateways that share a store are read from one folder: signing key, log key and ticket key. A folder that lacks one is refused at start, as is a start on a reachable address that would make a signing key of its own.',
  ),
  must(
    'shared.objects',
    'Gateways that share a store keep bodies in it: what one stores, a policy version or a module, the others read, byte by byte and verified.',
  ),
  must('transparency.survives-kill', 'A writer of the log that stops anywhere loses and doubles no leaf.'),
  must(
    'transparency.routes',
    'Checkpoint, proofs of growth and tiles of a tenant are read over HTTP; a cosignature is taken from a configured witness over a head the log had.',
  ),
  must(
    'transparency.bundle',
    'A bundle carries the proof that its session is in the log and who cosigned it; with --log-key or --witness-key it is valid only with them, and without a proof it verifies as before.',
  ),
  must(
    'transparency.report',
    'The Markdown and the HTML report of a session have a section with its leaf, inclusion proof, checkpoint and cosigned checkpoints, so that a reader can compute the signed root.',
  ),
  must(
    'transparency.witness',
    'agentctl witness cosigns a checkpoint that goes on from the last it saw, after reading its leaves; a fork, a rollback and a session that goes back are refused with the reason, and nothing is cosigned.',
  ),
  must(
    'transparency.operator',
    'An operator with store, objects and keys of the gateway, but not the key of the witness, is found by a stranger: rewriting, forks, rollbacks, cuts, back-dating and post-dating, omission, replay, swapped proofs, a leaf that was chosen for what it leaves out, and a witness that is not another party.',
  ),
  must('evidence.survives-kill', 'kill -9 at any moment loses no acknowledged entry and leaves a valid chain.'),
  must('audit.filters', 'GET audit filters by actor, kind, session, tool, decision, from, to and pages by cursor.'),
  must('audit.admin-acts', 'Administrative acts are entries of session admin-<tenant>-<UTC day>.'),
  must(
    'audit.verify',
    "Audit verify checks the tenant's chains in bounded pieces with a cursor and names the first broken link.",
  ),
  must(
    'chat.killed',
    'A call whose process ended while the provider was asked has one entry, `aborted` with `process_ended`, charged as its reservation: at the next start of a local gateway, else when its lease has ended.',
  ),
  must(
    'evidence.block-bounded',
    'Of a blocked call with long parameters, the entry holds their digest and the first kilobyte, and says that they are not whole: verification, why, reports and policy mine go on.',
  ),
  must(
    'audit.set-aside',
    'A session that the projection cannot go on with is set aside after a few tries, counted, shown by health and doctor, and alerted as critical; everything else goes on, checkpoints do not wait for the archive, and archive repair brings it back.',
  ),
  must('audit.projections', 'Projections are idempotent, may lag, and can be rebuilt from evidence.'),
  must(
    'audit.batches',
    'Commits that come while a projection batch is not full share the next one: a batch costs signatures and synced files, an entry more does not.',
  ),
  must(
    'audit.queue-bounded',
    'Commits that wait for the projection take a bounded part of memory: beyond it they are read from the log again, and a stop leaves them to the next start.',
  ),
  must('evidence.chat', 'Each chat call leaves one chat entry.'),
  must('audit.json-detail', 'Audit detail is valid JSON even when prompts contain quotes.'),
];

const credentials: readonly Requirement[] = [
  must('credential.counted', 'svc_credentials_total{broker,outcome} counts credentials issued and refused.'),
  must('credential.minted', 'An allow whose grant says so mints a credential with type, scope and expires_in.'),
  must(
    'credential.scm-jwt',
    'A pull request gets type scm_app_jwt, scope pull_requests:write,contents:read, expires_in 600.',
  ),
  must('credential.rs256', 'The Git-host app token is an RS256 JWT, iat 60 s back, at most 10 minutes.'),
  must('credential.static', 'The static broker is a degraded fallback and says so.'),
  must('credential.list-revoke', 'Active credentials can be listed and revoked.'),
  must('credential.never-shown', 'A credential value appears in no answer, evidence entry or log.'),
  must(
    'credential.no-broader',
    'A broker that cannot mint the granted scope refuses; the call is not allowed with something broader.',
  ),
  must(
    'credential.plain-keys',
    'A key or parameter name with empty segments or dots alone gets no credential: policies read another one.',
  ),
  must('credential.sts', 'The cloud broker assumes a role with a session policy compiled from the action.'),
  must('credential.vault', 'The vault broker leases database secrets, renews and revokes them.'),
  must('credential.cleanup', 'A registry cleans up expired tokens.'),
  must('ticket.hmac-nonce', 'Capability tickets are HMAC-signed, one-purpose and replay-protected.'),
  must(
    'ticket.redeem',
    'A service redeems the ticket it was handed, once, for exactly that call; each misuse is refused by its own name.',
  ),
];

const admin: readonly Requirement[] = [
  must(
    'admin.filter-words',
    'A filter of a list that takes one of a few words refuses any other with 400 and names them.',
  ),
  must('admin.routes', 'Every route of the table answers at its path and method.'),
  must(
    'admin.rate-limit',
    'The admin surface takes 50 requests a second of a key, those of five seconds at once; above that 429 with Retry-After.',
  ),
  must(
    'admin.proxied-routes',
    'On AWS the routes of the observatory share one proxy resource, and so do the endpoints beside chat; the function answers its own routes and no other path.',
  ),
  must(
    'cloud.upgrade-keeps',
    'An upgrade replaces no resource with state: logical ids, types and key properties stay.',
  ),
  must(
    'cloud.streaming-alarms',
    'The streaming plane raises alarms where no task is healthy, answers fail, or processors stay busy.',
  ),
  must(
    'cloud.upgrade-in-flight',
    'A release that follows another on the same account finds configuration, evidence and waiting approvals, and they are voted on and used.',
  ),
  must('admin.stage-throttle', 'On AWS each surface has a throttle that all its callers share.'),
  must('admin.whoami', 'whoami shows role, kind and tenant of the caller.'),
  must('admin.usage', 'usage counts per tenant, decision and tool.'),
  must('admin.violations', 'violations lists blocked actions with breakdowns.'),
  must('admin.status', 'Detailed health shows stores, versions, queues, sessions and recent violations.'),
  must(
    'admin.health-dependencies',
    'Detailed health shows each dependency with state, latency and since when; what no decision needs only degrades it.',
  ),
  must(
    'admin.health-upstreams',
    'Detailed health shows MCP servers and HTTP services by how the last calls of them went; calls that they refused do not count against them. A server that could not be started or reached is down, with the reason, before any call.',
  ),
  must('admin.metrics-own-tenant', 'Metrics show a tenant its own counters, and the platform all of them.'),
  must('admin.metrics', 'svc_policy_decisions_total{decision,protocol} counts decisions on /metrics.'),
  must(
    'admin.answers-typed',
    'Every operation has a schema of its answer; each route of a running gateway answers by it, and OpenAPI shows it with an example.',
  ),
  must('admin.openapi', 'The OpenAPI description is generated from the routes and carries the one version.'),
  must(
    'admin.openapi.bodies',
    'OpenAPI shows a valid example of every request body, and each of its references resolves.',
  ),
  must('admin.bad-json', 'Invalid JSON bodies are rejected with an error that says what was found.'),
  must('error.shape', 'Errors are { error: { code, type, message } }.'),
  must('error.types', 'Each error type has the status of the table.'),
  must('error.rpc-codes', 'JSON-RPC codes are -32001 for block and -32002 for approval required.'),
  must('error.no-leak', '5xx texts are generic and no answer holds a stack trace.'),
  must('error.not-found', 'An unknown route or id is 404; where a list of such things exists, the answer names it.'),
  must(
    'error.method',
    'A wrong method is 405 and names the allowed ones; OPTIONS is 405 without CORS; HEAD is GET on reads.',
  ),
  must('error.media-type', 'A body that is not JSON by content type is 415.'),
  must('error.unknown-query', 'An unknown query parameter is 400 and names the known ones.'),
  must(
    'json.exact-numbers',
    'A number of a call that JSON readers do not carry exactly is 400 or -32602 and says to send a string; every other one is stored, shown and forwarded in one form.',
  ),
  must('json.proto-key', 'A member called __proto__ is refused on every surface; no other key is lost.'),
  must(
    'error.own-members',
    'A value with members named like those of every object (toString, constructor) is data: it is refused or taken, and never a fault of the gateway.',
  ),
  must('error.bad-input', 'Hostile input gets the right status, says what was found and allowed, and writes nothing.'),
  must(
    'error.plain-words',
    'What a schema finds wrong is answered as what was found and what is allowed, in the unit that the name of the member has. What may be a secret is not repeated.',
  ),
  must('error.store-down', 'When a store fails the answer is 503: fail closed.'),
  must('json.values', 'A body of more values than are taken is 413 before it is parsed.'),
  must('limit.hostile', 'Requests that are made to stop the gateway get typed answers; /health answers beside them.'),
  must(
    'limit.heavy-work',
    'Large texts are filtered, and large calls read, in worker threads; beyond their time a text is 413 and a call unclear, with no free worker 503.',
  ),
  must(
    'limit.heavy-call',
    'Large calls are evaluated, large results looked over, configurations checked and policies compared in worker threads; beyond their time a call is 413 and a result is not shown. Large notifications of MCP servers are cut to what the protocol needs.',
  ),
  must('limit.body', 'A body above the limit is 413 by its actual size.'),
  must(
    'mcp.loopback-origin',
    'A call of MCP that says an origin of this machine is answered where the listener is reached on this machine too; any other origin has to be listed.',
  ),
  must('cors.off', 'Without allowed origins there are no CORS headers.'),
  must(
    'cors.preflight',
    'The gateway and MCP surfaces answer preflights of configured origins without a key; others are 403.',
  ),
  must(
    'cors.headers',
    'Answers, refusals and streams carry CORS headers for configured origins only, and let pages read what we wrote.',
  ),
  must('cors.origins', 'An allowed origin that no browser would send is refused with the configuration.'),
  must('log.action-line', 'Each evaluated action logs ts, level, msg, envelope_id, tool, decision, latency_us.'),
  must(
    'span.names',
    'Governing an action opens the spans of its stages, among them approval.enqueue and credential.issue.',
  ),
  must('admin.graphql', 'A GraphQL admin API offers 13 queries and 5 mutations.'),
  must('graphql.schema', 'One schema is the source of the GraphQL surface; its names are those of REST in camelCase.'),
  must(
    'graphql.as-rest',
    'Each field is an operation of REST with its role, tenant and checks; a refused field is null with its code.',
  ),
  must(
    'graphql.limits',
    'Tokens, repeated selections, depth and cost of a document are measured, with the values that variables have or default to, before anything of it runs; introspection is for operators.',
  ),
  must('graphql.errors', 'A refused document is worded as in REST, and in `errors` for clients of GraphQL.'),
  must('graphql.bad-input', 'A document, variables or members that are not valid are 400.'),
  must(
    'admin.cost-recommendations',
    'Cheaper models that the same providers serve are recommended, and what repeated requests cost is reported, with the numbers.',
  ),
  must(
    'admin.supply-chain',
    'The policy pack and the WASM filters in force are listed by digest, with whether they are verified.',
  ),
  must('admin.tenants', 'Tenants are listed with their limits: all for the platform, its own for any other caller.'),
  must(
    'admin.federation',
    'Federation serves a configuration without keys and takes status of at most 1 MB and metrics.',
  ),
  must(
    'federation.configuration',
    'Each role of a federation needs its members and refuses those of the other; a tenant without keys stands on data planes only.',
  ),
  must(
    'federation.document',
    'The document for a data plane is signed, names its plane, version and dates, and answers 304 while it is the same.',
  ),
  must('federation.no-secret', 'The served configuration holds no secret, no key, no token, and no digest of one.'),
  must(
    'federation.status',
    'A data plane reports version, health, traffic and evidence heads; two gateways of one name are found, the second is 409.',
  ),
  must(
    'federation.heads',
    'A chain of a data plane that was cut, forked or rewritten after it was reported is found with its first place, once.',
  ),
  must('federation.own-view', 'A data plane shows its version, its last confirmation, and why a document was refused.'),
  must(
    'federation.on-aws',
    'A deployment with dataPlane=on asks and reports each minute, answers what the control plane wants to see within that run, and keeps its token in a secret of its own.',
  ),
  must(
    'federation.accept',
    'A person of the platform accepts the chains of a data plane as they are; they are compared from its next report on.',
  ),
  must(
    'federation.metrics',
    'Minutes of a data plane are merged into analytics as plane:<name>; a minute sent again replaces the one before.',
  ),
  must('federation.first', 'A data plane refuses calls until its first document, whatever its own file allows.'),
  must(
    'federation.poll',
    'A data plane asks its control plane regularly; a document that is in force already stores nothing.',
  ),
  must(
    'federation.swap',
    'A document comes into force as one policy version; the own file of a data plane never replaces what its control plane served.',
  ),
  must(
    'federation.local-keys',
    'A data plane has keys of its own; one whose tenant or person the control plane no longer has is not a key.',
  ),
  must(
    'federation.last-good',
    'A document with a bad signature, key, plane, digest or form is refused with an alert, and the last good one stays.',
  ),
  must(
    'federation.no-rollback',
    'A document with a lower version, or with another configuration under the same version, is refused.',
  ),
  must(
    'federation.staleness',
    'Past max_staleness a data plane refuses calls, or goes on with an alert, as stale says; what shows its state is answered.',
  ),
  must(
    'federation.clock-skew',
    'Clocks of two planes may be 15 minutes apart; beyond that a plane that is behind refuses documents, and one that is ahead is unhealthy with an alert.',
  ),
  must(
    'federation.secrets-bound',
    'A served configuration names only secrets that the data plane lists, and sends none to another address.',
  ),
  must(
    'federation.report',
    'A data plane reports its status, its evidence heads as its store has them, and its minutes, after a partition all of them.',
  ),
  must(
    'federation.alerts',
    'Refused documents, staleness, silence, chains that differ, clocks too far apart, two gateways of one name and a control plane that was set back are alerts.',
  ),
  must(
    'federation.story',
    'Two gateways as control plane and data plane keep working through partition, restart, backup, rotation and a second plane of one name.',
  ),
  must(
    'federation.planes',
    'Planes are listed with when they were seen, lag in versions, health and first divergence.',
  ),
  must('admin.rollouts', 'Six rollout operations: create, list, get, pause, resume, rollback.'),
  must('rollout.create', 'A rollout is created with its stages, window and thresholds; a model has at most one open.'),
  must('rollout.bad-input', 'What cannot be a rollout is refused with what was found and what there is.'),
  must('rollout.states', 'A rollout moves by one table: pending, running, paused, completed, rolled_back.'),
  must(
    'rollout.judged',
    'A stage is promoted after its window with enough healthy calls, and rolled back as soon as the data says so.',
  ),
  must('rollout.sticky', 'A session stays on its side while the percentage grows.'),
  must(
    'rollout.traffic',
    'The canary gets the share of the stage; the baseline answers where it fails before the first byte.',
  ),
  must('rollout.metrics', 'Faults of the provider alone count as errors of a side, over the observation at hand.'),
  must(
    'rollout.machine',
    'The clock of a rollout is a state machine: started with it, it looks until the rollout is over, on AWS and in the local run.',
  ),
  must('rollout.clock', 'The clock promotes, completes and rolls back without a request, and records each move.'),
  must('rollout.by-hand', 'Pause, resume and rollback answer the rollout, and 400 in a wrong state.'),
  must('rollout.tenants', 'A tenant moves its own traffic; that of all tenants is for the platform.'),
  must(
    'rollout.known',
    'A process asks for rollouts once in five seconds, and keeps the last answer while the store is down.',
  ),
  must(
    'admin.analytics',
    'Analytics and requests are readable; each tenant sees its own traffic, the platform everything.',
  ),
  must('admin.alerts', 'Alerts can be listed by state and acknowledged; each tenant sees its own, the platform all.'),
  must(
    'alert.lifecycle',
    'One alert is open per type, dimension and metric; it resolves after 5 consecutive normal evaluations.',
  ),
  must(
    'alert.evaluated',
    'Alerts are evaluated once a minute; each change is an entry of the evidence and a message over the channels.',
  ),
  must(
    'alert.thresholds',
    'Error rate, latency, requests and cost of traffic, budgets at 80 and 100 %, approvals that wait, refused credentials.',
  ),
  must(
    'alert.baseline',
    'Traffic of five minutes above the mean of the day before by 3 standard deviations is an anomaly; 60 minutes with traffic are needed.',
  ),
  must(
    'alert.chain',
    'Each evaluation verifies a few sessions; a broken chain is a critical alert until it verifies again.',
  ),
  must(
    'alert.refused-plugins',
    'A plugin, pack or module that was refused in the last ten minutes is an alert of its tenant.',
  ),
  must(
    'analytics.buckets',
    'Analytics keeps 1-minute buckets of 48 hours by global, tenant, model, provider and tool.',
  ),
  must('analytics.hours', 'Buckets of an hour are read as sums of hours, which add up what their minutes add up to.'),
  must(
    'analytics.kept',
    'An hour whose stamp has not changed is answered from memory, of bounded size; every batch raises the stamp of its hours last.',
  ),
  must('analytics.percentiles', 'Percentiles come from mergeable sketches and lie within 2 % of the exact ones.'),
  must(
    'analytics.projection',
    'Buckets count each entry once: after a rebuild, after an interrupted projector, late and repeated.',
  ),
  must(
    'analytics.bounded',
    'Names that callers choose are bounded in length and number; past the bound they count under other.',
  ),
  must(
    'watch.grafana',
    'A Grafana dashboard over /metrics shows golden signals, decisions, approvals and cost; every query names a series and labels that the gateway counts.',
  ),
  must(
    'webhook.policy-events',
    'Blocked calls and warnings are sent to the webhook as policy_violation and policy_warning, signed, retried and given up like approvals, one message a rule and minute, without texts, and never on the time of a caller.',
  ),
  must(
    'plugin.marketplace',
    'Plugins can be searched, installed, listed and removed; downloads are HTTPS and at most 50 MB.',
  ),
  must(
    'plugin.shipped',
    'Plugins ship with their source; each committed module is what the source builds to, imports nothing and follows the ABI.',
  ),
  must(
    'plugin.figures',
    'Precision and recall of each shipped plugin are measured on a generated corpus, and apart on the part it was not written on.',
  ),
  must(
    'plugin.secrets-guard',
    'secrets-guard flags credentials by structure, and by checksum where their format has one; examples, public keys and wrong checksums pass.',
  ),
  must(
    'plugin.injection-guard',
    'injection-guard flags texts that give a model orders, in encodings and disguises as well; texts about models and instructions for people pass.',
  ),
  must(
    'plugin.topic-fence',
    'topic-fence flags texts in scripts, languages or about topics that its settings do not let pass; names and quotations pass.',
  ),
  must('plugin.download', 'A download is HTTPS only, also after redirects, to public addresses, and bounded in size.'),
  must(
    'plugin.resume',
    'A download that ends early goes on where it ended, at most five times and only while it gets further; the whole has one bound of size and one of time.',
  ),
  must('plugin.store', 'Plugins lie by digest in a folder whose record is replaced whole; a refusal changes nothing.'),
  must('supply-chain.envelope', 'Signed documents are DSSE envelopes over in-toto Statements; signatures hold first.'),
  must(
    'supply-chain.sigstore',
    'A Sigstore bundle with a DSSE envelope is verified by the pinned key that it names; bundles of certificates, of other content and of other keys are refused.',
  ),
  must('supply-chain.sequence', 'An index, delegations or revocations older than seen before are refused.'),
  must(
    'supply-chain.order',
    'A plugin is verified before it is compiled: envelope, delegation, dates, revocation, size, digest, ABI, permissions.',
  ),
  must(
    'supply-chain.packs',
    'Policy packs are signed, listed and installed as filters are: their bytes are the canonical JSON of the pack, and they declare no permission.',
  ),
  must(
    'supply-chain.provenance',
    'The package carries a bill of materials (CycloneDX) of all it bundles; a release is attested with SLSA provenance over its file, and both are verified offline.',
  ),
  must(
    'supply-chain.require-signed',
    'With tool_policies.require_signed a pack or filter without a valid signature under supply_chain.root_key refuses the configuration, packs that ship with the gateway included.',
  ),
  must(
    'supply-chain.refused-unsigned',
    'Each part that require_signed refuses is evidence, with name, digest and reason: of a configuration over HTTP, of a file at start, and of a file that changed.',
  ),
  must(
    'supply-chain.index-in-force',
    'PUT config refuses an index that is older than the one in force under the same root key; the configuration file and a rollback may name one.',
  ),
  must(
    'supply-chain.in-force',
    'GET supply-chain names digest, signer and verdict of the pack and filters in force, verified at each request.',
  ),
  must(
    'supply-chain.acts',
    'Installs, removals and refusals of plugins are evidence with name, version, digest, signer and reason; GET supply-chain shows the last ones, agentctl keeps what no gateway took until one does, and changes nothing with a key that may not record it.',
  ),
  must(
    'identity.organizations',
    'Organisations hold teams, projects and environments; a tenant belongs to one environment, and whoami names its path.',
  ),
  must(
    'admin.traffic-by-path',
    'Chat calls and violations can be listed, and violations counted, for all tenants below a path of the organisations in which the caller has the role to read them.',
  ),
  must(
    'admin.sums-by-path',
    'Usage, analytics, budgets and cost recommendations can be asked for a path of the organisations: they add up the tenants below it that the caller may read, and no others; over HTTP, GraphQL and agentctl.',
  ),
  must(
    'evidence.by-path',
    'Sessions with evidence and the audit log can be listed for all tenants below a path of the organisations in which the caller has the role to read them.',
  ),
  must(
    'identity.grants',
    'Roles granted at a level of an organisation hold in every tenant below it, never beyond the role of the key in use, and elsewhere not at all.',
  ),
  must(
    'identity.level-policies',
    'Organisations, teams, projects and environments hold tool rules; the worst of all levels decides, and a rule that would loosen is refused at load with a call that shows it.',
  ),
  must(
    'identity.separation-rules',
    'Rules say by place how many people approve, of which teams and roles; a request is decided if and only if every rule is satisfied.',
  ),
  must(
    'identity.votes-over-channels',
    'Votes over HTTP, the command line, Slack, pull requests and with passkeys are those of one person each, whatever the channel, also at the same moment, after the time, and after a rule changed.',
  ),
  must(
    'identity.separation-votes',
    'Approvals that are not enough are kept, each with its evidence; a person counts once, votes at the same moment decide once, and one denial ends the request.',
  ),
  must(
    'admin.identity',
    'Organisations, teams, projects, environments, people, keys and rules are listed as far as the caller may see them.',
  ),
  must(
    'evaluation.webhook',
    'The evaluation webhook fires at its sampling rate with truncated content, signed, after the caller has the answer.',
  ),
  must(
    'evaluation.sample',
    'Whether a call is sampled follows from its id: every process says the same, and callers cannot choose.',
  ),
  must(
    'evaluation.excerpt',
    'Texts for the evaluator are cut between code points and hold no secret of a recognised format.',
  ),
  must(
    'evaluation.retry',
    'An evaluator that does not take a call is asked again; after the last attempt the call is given up and its texts leave the store.',
  ),
  must('evaluation.reply', "An evaluator's reply is bounded and checked; one that is not understood is left aside."),
  must('evaluation.score', "An evaluator's score is evidence, and stands with the request and in analytics."),
  must(
    'operator.composed',
    'The objects that name a Gateway become one configuration, whatever order they are listed in.',
  ),
  must(
    'operator.refused',
    'One incomplete object, or a configuration that the gateway refuses, stores nothing: the last one stays in force and the message becomes a condition.',
  ),
  must(
    'operator.secrets',
    'Keys of callers leave the cluster as digests, keys of providers as variables from secrets; a changed value is taken over.',
  ),
  must('operator.steady', 'The operator writes nothing while nothing changes.'),
  must(
    'operator.rollout',
    'While pods are replaced, the Gateway object says so and its other objects keep their conditions.',
  ),
  must('operator.finalizer', 'A deleted object stays until the gateway no longer uses what it says.'),
  must('operator.kubernetes', 'A Kubernetes operator brings custom resources into force over the admin API.'),
  must(
    'operator.drift',
    'What another client wrote into the gateway or the Deployment is replaced by what the objects say.',
  ),
  must(
    'operator.leader',
    'One replica works at a time; another takes over after a kill, and at once after an orderly end.',
  ),
  must(
    'operator.secret-forbidden',
    'A Secret that is not labelled for the Gateway, or that the role of the operator does not cover, is named in the conditions of the objects that need it, and is not used.',
  ),
  must(
    'operator.crd',
    'Custom resources have structural schemas made from that of the configuration; unknown keys reach the gateway.',
  ),
  must(
    'operator.chart-values',
    'Values of the chart that no cluster takes are refused by their schema; an empty list of callers lets in no caller.',
  ),
  must(
    'operator.chart',
    'The Helm chart has the version of the package, a schema of its values, and containers without privileges.',
  ),
  must('operator.rbac', 'The role of the operator grants every verb that it uses, and no other.'),
  must(
    'trace.gen-ai',
    'Spans carry the usage, settings and tools of the GenAI conventions: input tokens with the cached ones, settings with 0, lists as lists, and the name and own id of a tool call.',
  ),
  must('trace.ring', 'The last 500 traces are kept.'),
  must('trace.shared', 'The last traces of all processes of a deployment are listed, whichever process answers.'),
  must(
    'trace.routes',
    'The last 500 traces are readable at traces, with filters and a cursor, and at traces/{id} with their spans.',
  ),
  must(
    'trace.policy-stages',
    'The trace of a call that a provider answered has policy.check_input, provider.call and policy.check_output, also where no filter is configured.',
  ),
  must(
    'deploy.context-names',
    'A deployment is refused where the context names a setting that the app does not read; the nearest name is given.',
  ),
  must(
    'trace.no-content',
    'Spans hold no prompt, argument or secret: the target of a call as far as nothing of it is withheld, the model as far as it is a name.',
  ),
  must('trace.caller', "The caller's trace goes on through chat calls, MCP messages and requests to the admin API."),
  must('trace.xray-link', 'On AWS a trace names its place in X-Ray, where its spans go there.'),
  must(
    'trace.span-order',
    'The spans of a trace are listed with every span before those inside it, and these in the order of their stages.',
  ),
  must(
    'trace.isolation',
    "A tenant's callers see the spans of their tenant, whatever trace id a call of another tenant carries; the platform's callers see all.",
  ),
  must(
    'trace.share',
    'Of more than 500 traces the tenant with the most loses its oldest: no tenant pushes out those of another.',
  ),
  must('trace.export', 'Spans are exported over OTLP in batches of about 5 seconds.'),
  must(
    'trace.export-others',
    'A span that OTLP cannot express is counted and left out; the others of its batch are exported.',
  ),
  must(
    'trace.sampling',
    'Of traces that begin here and that the rate leaves out, those that failed or were slow are exported whole.',
  ),
  must('admin.cache', 'cache shows hits, misses, hit rate and evictions.'),
  must('admin.budgets', 'Budgets and providers are readable.'),
  must('admin.budgets.forecast', 'The forecast of budgets is readable.'),
  must(
    'budget.forecast',
    'A forecast follows the weekdays, with an interval that four of five periods end in, and says when a limit is reached.',
  ),
];

const cli: readonly Requirement[] = [
  must('cli.test-action', 'agentctl test-action evaluates an action; --dry-run records nothing.'),
  must('cli.pending', 'agentctl pending lists pending approvals, with --json as JSON.'),
  must('cli.vote', 'agentctl approve and deny take --reviewer, else the person of the key, and --comment.'),
  must('cli.show', 'agentctl show prints the card of one approval; the beginning of an id is enough.'),
  must(
    'cli.evidence.verify',
    'evidence verify prints per-entry lines, then valid, total_entries, session_manifest_hash.',
  ),
  must('cli.evidence.export', 'evidence export writes the bundle to --out.'),
  must('cli.evidence.report', 'evidence report renders Markdown, and HTML with --html.'),
  must('cli.verify', 'agentctl verify checks the audit chains and sessions.'),
  must(
    'cli.status-failing',
    'Notifications that are given up or tried again stand in status with channel, attempts and the last error, for their own tenant, without addresses.',
  ),
  must('cli.status', 'agentctl status shows the state of the gateway, with --json as JSON.'),
  must('cli.policy-tools', 'simulate, why and diff-policy explain policy.'),
  must(
    'cli.completion',
    'agentctl completion prints scripts for bash, zsh and fish, made from the commands and their options.',
  ),
  must(
    'cli.typo',
    'A misspelt command or option is answered in three lines with the one that was meant, and exit code 2.',
  ),
  must(
    'cli.config-check',
    'agentctl config check reports the problems and warnings of a configuration file without a gateway, and exits with 1 for problems.',
  ),
  must(
    'cli.config-diff',
    'agentctl config diff shows changed keys without secrets, lifted guards, unset secrets and calls that are decided otherwise.',
  ),
  must(
    'cli.policy-test',
    'agentctl policy test decides each call of a table by a configuration or pack file, and writes JUnit XML.',
  ),
  must(
    'cli.explain',
    'simulate and policy test show with --explain what each call would do and how each rule saw it; policy test shows it for each test that fails.',
  ),
  must('cli.policy-files', 'agentctl diff-policy and simulate take configuration and pack files without a gateway.'),
  must('cli.policy-versions', 'policy history, current and rollback work on versions.'),
  must(
    'cli.doctor',
    'agentctl doctor checks a deployment: addresses, versions, clocks, dependencies, alerts, evidence, tools, planes; each finding says what to do.',
  ),
  must(
    'cli.why',
    'agentctl why shows the call, its effects and what decided it within a few lines, rules for the same tool that do not fit, and every rule with --all.',
  ),
  must(
    'cli.fits-terminal',
    'On a terminal no line of a table is wider than it: long cells are cut, ids and digests stay whole, and times are distances from now; elsewhere nothing is cut.',
  ),
  must('cli.doctor-provider', 'agentctl doctor fails for a provider that is down or has no key.'),
  must(
    'cli.doctor-demo',
    'agentctl doctor warns of demo answers, of a key that npm start made and of brokers with a generated key where the gateway is not on this machine.',
  ),
  must(
    'cli.setup',
    'agentctl setup shows and writes the configuration of coding agents and MCP clients, and takes it back: the file has its very text again.',
  ),
  must('cli.vote-asks', 'At a terminal, approve and deny show the call and ask once before the vote counts.'),
  must(
    'cli.watch',
    'agentctl pending --watch follows the events of approvals, takes up a stream that ended where it was, asks for the list where a gateway opens none, and rings at a terminal for a new request.',
  ),
  must('cli.output-forms', '--output prints a table, JSON or YAML; --json is short for the second.'),
  must('cli.progress', 'Long work shows count, rate and time left on a terminal, and nothing elsewhere.'),
  must('cli.hook', 'agentctl hook claude-code answers PreToolUse events by policy, and denies what it cannot decide.'),
  must(
    'cli.hook-agents',
    'agentctl hook codex|gemini|cursor answers in the form of that agent, decides each file of a patch, and denies what it cannot read.',
  ),
  must(
    'cli.hook-outcome',
    'agentctl hook records what an agent says after a call (PostToolUse, AfterTool, postToolUse and the events of failure): success, digest, size and exit code, never contents.',
  ),
  must(
    'cli.verify-holds',
    'agentctl evidence verify --holds takes hashes that calls were answered with and fails where a bundle does not have their entries.',
  ),
  must(
    'cli.hook-results',
    'agentctl hook looks over the result of a call on the machine of the person and, where a text is addressed to the model, adds a sentence to what the model reads; contents stay there.',
  ),
  must(
    'cli.policy-mine',
    'agentctl policy mine proposes rules that allow what evidence shows as allowed and never what it shows as blocked or denied, with the expected share of reviews.',
  ),
  must('cli.hook-lean', 'A hook loads neither the other commands of agentctl nor schemas nor the client behind fetch.'),
  must('docs.snippets', 'Every piece of configuration in the documentation loads.'),
  must(
    'docs.names',
    'Commands, options, routes, scripts, files, metrics and configuration keys that the documentation names exist.',
  ),
  must(
    'docs.commands',
    'Commands of the README, the tutorials and the how-to pages run and print what the page shows; one that cannot run without something else stands with what it needs.',
  ),
  must('cli.version', '--version and -v print the version of package.json.'),
  must('cli.exit-codes', 'Exit codes: 0 ok, 1 negative answer, 2 usage, 3 unreachable.'),
  must(
    'cli.own-folder',
    "A state folder that was found, not named, counts only if it is the user's own: mode 0700, not a link, not tracked by Git, with its keys in it and addresses on this machine.",
  ),
  must(
    'cli.key-origin',
    'Generated keys go to their own gateway on this machine only; a key of the user goes to no address that was only found in the current folder.',
  ),
  must('cli.finds-keys', 'agentctl reads the keys file: the agent key for actions, the human key for votes.'),
  must('cli.manifest', 'agentctl manifest declares, lists, shows and removes tasks.'),
  must(
    'cli.observe',
    'agentctl analytics and alerts show what happens, with bars over time, and acknowledge an alert.',
  ),
  must(
    'cli.supply-chain',
    'agentctl supply-chain makes keys, signs, verifies and lists signed plugins, and what is in force.',
  ),
  must(
    'cli.mcp-servers',
    'agentctl mcp servers lists the MCP servers with their health and tools; mcp call calls a tool over MCP as an agent does and ends with 1 where it is blocked, waits or fails.',
  ),
  must('cli.mcp-bridge', 'The stdio bridge answers a JSON-RPC error when the gateway is unreachable.'),
  must('cli.plugin', 'agentctl plugin search, info, install, list, outdated, remove.'),
];

const hosts: readonly Requirement[] = [
  must('local.ready', 'The local run prints a banner and one ready line with URLs and keys_file, within 3 seconds.'),
  must(
    'local.no-keys-in-files',
    'The banner shows generated keys to a terminal or a reader, and writes none into a file.',
  ),
  must(
    'executor.contained',
    "A program of the local shell executor sees neither the gateway's processes nor its state nor, unless allowed, a network; where that cannot be had none runs.",
  ),
  must(
    'package.image',
    'The entry point of the image starts from a tree that cannot be written to, as an unprivileged user, and writes to its state folder only.',
  ),
  must(
    'package.checkout-compiled',
    '`npm start` and the tests run the checkout compiled into few files while no source has changed since, and its sources otherwise.',
  ),
  must(
    'package.installs',
    'The packed package starts from an empty folder, with nothing to install behind it, in at most 15 MB.',
  ),
  must(
    'package.says-node',
    'Its programs name the Node they need in one line when they are started with an older one.',
  ),
  must(
    'container.definition',
    'The container image holds the package only, runs as an unprivileged user, writes to one volume and reports its health.',
  ),
  must(
    'store.embedded',
    "The local run's store is in its process, behind the client that the table adapters use; a file that is not one is refused in one line.",
  ),
  must(
    'store.by-difference',
    'The embedded store answers 20,000 made-up operations as another implementation of DynamoDB does, and keeps the same.',
  ),
  must('store.limits', "The embedded store has DynamoDB's limits, its order of keys and its errors."),
  must('store.expressions', 'Expressions mean in the embedded store what they mean in DynamoDB, and are parsed once.'),
  must(
    'store.survives',
    'What the embedded store has acknowledged survives kill -9; with --durability full each group is synced.',
  ),
  must(
    'store.fails-closed',
    'A fault of the database keeps nothing of the turn of the event loop and tells every caller.',
  ),
  must(
    'store.log-moved-when-idle',
    'The log of the embedded store is moved into its file after a second without writes; under lasting writes, when it is long.',
  ),
  must('store.yields', 'A caller that asks the embedded store without a pause does not keep others from running.'),
  must('store.owner-only', 'The files of the store are readable by their owner alone, and no port leads to them.'),
  must('store.former-imported', 'The store of an earlier release is taken over once, whole, or refused in one line.'),
  must(
    'store.lists-over-shards',
    'Lists whose rows lie in several partitions come in one order, each row once, with cursors that stay where they were.',
  ),
  must('store.append-leaves-index', 'A further entry of a session does not write the index of sessions.'),
  must('store.spread', 'Sessions and entries of one tenant lie evenly over their partitions.'),
  must(
    'local.other-tables',
    'A state folder whose tables have other keys is refused at start in one line that says what to do.',
  ),
  must(
    'store.sweep',
    'The sweep reads what is due, puts off what cannot be healed, goes on where it stopped, and ends within its minute for 1,500 tenants.',
  ),
  must(
    'watch.each-by-itself',
    'An item that cannot be worked on (a started action, a credential, a session, a log, a delivery, a measure, a record of a stream, a row of a page, a line of results) is logged, and holds up no other item, in this run and in later ones.',
  ),
  must('store.table-of-rates', 'The documented rates of keys are those of the items that the gateway writes.'),
  must(
    'local.approval-bell',
    'At a terminal the local run writes a line and rings for a request that waits for a person, at most once in five seconds; --no-bell keeps it silent.',
  ),
  must(
    'local.log-lines',
    'At a terminal log lines are for people, with --json-log and elsewhere they are JSON; text of callers moves nothing on the screen.',
  ),
  must(
    'local.idle-connections',
    'A connection of HTTP/1.1 without a request is closed 30 seconds later than Keep-Alive says, so that the request of a late client is not lost.',
  ),
  must('local.drain', 'SIGTERM drains and exits 0.'),
  must(
    'local.npm-ends',
    'A signal to npm ends the gateway that npm start or npx runs, where the shell between them passes none on.',
  ),
  must('local.same-machine-file', 'The local clock interprets the same ASL file as AWS.'),
  must(
    'cloud.templates',
    'The stacks synthesize with encryption, PITR, TTL, streams and deletion protection where the tables say so.',
  ),
  must('cloud.least-privilege', "Each function's role holds what the functions table says and no more."),
  must(
    'cloud.retained',
    'In production tables, buckets, the signing key and secrets outlive their stack, except where the deployment that creates them fails; functions, APIs, logs and queues leave with theirs, so a failed first deployment can be repeated.',
  ),
  must(
    'cloud.name',
    'A deployment with another name stands beside the first: stacks, physical names, roles and metrics are its own. A name that AWS would refuse is refused at synthesis.',
  ),
  must(
    'cloud.regions',
    'A deployment stands under one name in several regions of an account: no name that the account holds once is shared, each region has keys and stores of its own, and what an option names in another region is refused at synthesis.',
  ),
  must(
    'cloud.accounts',
    'A deployment stands under one name in several accounts, and is a data plane of one in another account.',
  ),
  must('cloud.everything-on', 'A deployment with every option on fits into the 500 resources of a stack.'),
  must(
    'cloud.staged-release',
    'A new version of a function that callers wait for takes a tenth of its calls for five minutes, then all; an alarm of the function takes it back. Callers name the alias, never the function.',
  ),
  must(
    'cloud.concurrency',
    'A deployment reserves no concurrency by default; with concurrency=reserved what decides and votes keeps a part and what streams is capped.',
  ),
  must('cloud.tags', "Every resource carries the deployment's name and stage and the tags of the operator."),
  must(
    'config.schema-number',
    'A stored configuration that uses nothing new is readable by older releases; one that does carries the number of its schema, and an older release refuses it with what to do.',
  ),
  must(
    'cloud.own-hosts',
    "A deployment with a domain serves each surface at the root of its own host, tells functions and people these URLs, and switches the APIs' own names off.",
  ),
  must(
    'cloud.edge',
    'CloudFront stands before the surfaces where an operator asks for it: HTTP/3, TLS 1.3, nothing cached or compressed, every header but Host passed on.',
  ),
  must(
    'cloud.one-address',
    'Behind CloudFront one more host routes the same paths as the local edge to the same surfaces, and answers 404 to all others.',
  ),
  must(
    'cloud.console',
    'Behind CloudFront the host of the admin API serves the console with the headers of the local host, from a bucket that CloudFront alone reads.',
  ),
  must(
    'cloud.edge-address',
    "Behind CloudFront functions count wrong keys by the caller's address and answer for the host that the caller asked for; elsewhere the same headers count for nothing.",
  ),
  must(
    'cloud.origin-lock',
    'Where CloudFront stands before them, the REST APIs refuse calls that do not carry its secret, of which templates hold references only.',
  ),
  must(
    'cloud.firewall',
    'A regional web ACL limits the requests of an address, keeps the admin API to named networks, blocks no body and keeps no request.',
  ),
  must(
    'cloud.private-admin',
    'A private admin API takes calls from one VPC endpoint alone, which named networks reach.',
  ),
  must(
    'cloud.vpc',
    'Functions that call upstream servers run in the VPC that a deployment names; their code may not change its network interfaces.',
  ),
  must('cloud.nag', 'cdk-nag finds nothing that is not acknowledged with a reason.'),
  must('cloud.stage-differences', 'The emulator templates differ from the real ones in the listed points only.'),
  must(
    'cloud.early-start',
    'A function is composed and reads the configuration while it is loaded. What fails then, or is cut by a pause, is done by the first call, and no call is lost.',
  ),
  must(
    'auth.admin-token-apart',
    'On AWS no function reads the admin token: agentctl bootstrap stores its digest, and repeated replaces it.',
  ),
  must(
    'auth.keys-by-digest',
    'Keys named by key_env become digests when a configuration is stored or config refresh-keys is asked for; a look-up of a caller reads no secret.',
  ),
  must(
    'secrets.kept',
    'Values of secrets are kept for five minutes, and read again when what is stored changes or a provider refuses a key.',
  ),
  must(
    'cloud.own-answers',
    'What API Gateway answers itself has the status of its cause, both error shapes, and headers that let a page read it.',
  ),
  must(
    'cloud.independent-stacks',
    'The monitoring stack imports no name of a function, so that a release can remove or rename one.',
  ),
  must(
    'cloud.access-logs',
    'Access logs name status, error and times of a request, and nothing that a caller sent. Errors that API Gateway logs are kept as long.',
  ),
  must(
    'watch.rates',
    'An alarm on failures is raised by a share of calls that lasts, and no single failure raises one.',
  ),
  must('watch.heartbeats', 'A schedule that completes no run raises an alarm, also when there is no data at all.'),
  must(
    'watch.alarms',
    'Throttled tables, dropped events, concurrency, dead messages, stuck approvals, refused checkpoints and disabled guards have alarms.',
  ),
  must('watch.severity', 'Each alarm is a page or a ticket and goes to that topic; alarms of one cause are joined.'),
  must(
    'watch.runbook',
    'Each alarm has a heading in the runbook, which names only metrics, log lines and fields that exist.',
  ),
  must('watch.emitted', 'Alarms and dashboards ask for metrics under the names and labels that the code writes.'),
  must('watch.objectives', 'An overview shows five objectives as the percentage that was good; searches carry labels.'),
  must(
    'watch.key-of-a-line',
    'The log lines of chat calls and actions name tenant and key id, so that a request in an access log has an owner.',
  ),
  must(
    'watch.delivery-delay',
    'A first message about an approval is timed from the request on; a message that is given up is counted.',
  ),
  must(
    'cost.units',
    'Units of the tables that npm run cost computes with are those that the store reports for each kind of call.',
  ),
  must('cost.idle', 'Alarms and secrets of an idle month are counted in the templates.'),
  must('cost.table', 'The documented cost of a million calls is the one that npm run cost prints.'),
  must(
    'watch.canary',
    'A canary with keys of its own makes a governed round over HTTP each minute; rounds that fail or are missing are pages.',
  ),
  must(
    'cloud.secrets-without-values',
    'No template holds a value of a secret, so that no deployment puts one over what an operator stored.',
  ),
  must(
    'cloud.store-client',
    "A function asks its tables with one signed request a call, without the SDK's middleware; what is not answered in the usual way the SDK sends again, a transaction with its token.",
  ),
  must(
    'cloud.clients-have-time-outs',
    'A call to a service of AWS that is not answered ends as a typed error: a connection after 1 s, a row after 3 s, a body after 8 s.',
  ),
  must(
    'plane.same-handlers',
    'The streaming plane serves chat, messages, models, token counts and MCP with the handlers of the functions, and nothing else.',
  ),
  must(
    'plane.caller-leaves',
    'A caller that leaves the streaming plane lets the provider go within a second, and the call is recorded as aborted.',
  ),
  must(
    'plane.drain',
    'On SIGTERM the streaming plane takes no further connection, lets calls end in time, cuts and settles the rest, and exits with 0.',
  ),
  must(
    'plane.store-down',
    'Without its store the streaming plane answers 503; its health check asks no store, so that tasks are not replaced for it.',
  ),
  must(
    'plane.hosts',
    'The streaming plane answers to the names of its load balancer and to addresses, and to no other Host.',
  ),
  must(
    'plane.caller-address',
    "Behind a load balancer the caller's address is the last one of X-Forwarded-For, which the load balancer adds.",
  ),
  must(
    'plane.settings',
    'The streaming plane is off by default; context that is incomplete or contradicts itself is refused at synthesis.',
  ),
  must(
    'plane.container',
    'The container runs unprivileged on read-only files, without capabilities, public address or secret in its environment, and drains before ECS kills it.',
  ),
  must('plane.tls', 'The load balancer takes TLS; plain HTTP is allowed on stage dev alone.'),
  must(
    'plane.rights',
    'The task role of the streaming plane holds the rights of the functions that it serves and no more.',
  ),
  must(
    'cloud.status-line-first',
    'Every answer of a streamed function, whole or in events, begins with its status and headers.',
  ),
  must('version.one', 'Everything that prints a version reads it from package.json.'),
  must('version.paths', 'Admin routes are under /admin/v1.'),
];

const chat: readonly Requirement[] = [
  must('chat.completions', 'POST /v1/chat/completions answers a chat completion, or SSE when stream is true.'),
  must(
    'chat.messages',
    'POST /v1/messages gets the same policy, audit, transforms and aliasing; streams as Anthropic events.',
  ),
  must('chat.messages.tool-use', 'Tool use on messages is rejected by default and governed when configured.'),
  must(
    'chat.completions.tool-use',
    'Tool calls of chat completions pass by default; chat_completions.tool_use has tools refused, or each call decided as on messages, whole and streamed, and keeps tools out of batches.',
  ),
  must('chat.count-tokens', 'count_tokens answers an estimate.'),
  must('chat.ws', '/v1/ws is a persistent chat connection.'),
  must('chat.ws-id', 'Answers over a WebSocket carry the id as it was sent, text or number; 5 and "5" name one call.'),
  must('chat.ws-upgrade', 'A request to /v1/ws without an upgrade is 400 and says how to connect.'),
  must(
    'chat.ws-lost',
    'A WebSocket call whose worker never came gives its id and its place back; coming late, it is not answered.',
  ),
  must(
    'chat.ws-batches',
    'On AWS messages of a WebSocket call are posted once per 50 ms or 24 kB, in their order; the first at once, the last ones with the end.',
  ),
  must(
    'responses.create',
    'POST /v1/responses runs as a chat completion with the same policy, limits, budgets, cache and evidence, behind every provider, and answers a response.',
  ),
  must(
    'embeddings.checked',
    'Vectors of a provider are one for each text, of the dimensions asked for, and in the encoding asked for; anything else is a fault of the provider.',
  ),
  must(
    'embeddings.create',
    'POST /v1/embeddings passes the filters, limits, budgets and evidence of chat and is answered by a provider that embeds; tokens in place of texts are refused.',
  ),
  must(
    'clients.libraries',
    'The AI SDK, LangChain and the OpenAI Agents SDK get texts, streams, tool calls, structured output and refusals with nothing changed but base URL and key.',
  ),
  must(
    'passthrough.governed',
    'POST /v1/completions, moderations, images and audio texts pass keys, models, limits, budgets, filters both ways, reviews and evidence like chat, and are answered by a provider that has them; another model is 404 and says what to set.',
  ),
  must(
    'passthrough.forms',
    'Files come as multipart form data within the body limit: fields are filtered, bytes are bound by their digest; another form, a broken one and a doubled field are refused.',
  ),
  must(
    'passthrough.form-cost',
    'A form is read in one pass, and ends at the first field beyond 64; its boundary within a line of a file is content.',
  ),
  must(
    'passthrough.speech',
    'POST /v1/audio/speech answers the bytes of the provider under their type; filters of requests and of replies read the text that is spoken, what they would take out of a reply blocks it, and what is not sound is a fault of the provider.',
  ),
  must(
    'passthrough.cost',
    'An endpoint that counts no tokens is charged what was reserved; with an unknown price and prices.unknown_model refuse it is refused where a budget applies.',
  ),
  must(
    'batches.governed',
    'Files of calls and batches of them go to a provider of type openai that serves their model, with keys, models, limits, filters, reviews and evidence of chat; callers get ids of the gateway alone, and a file that was checked under another policy version makes no batch.',
  ),
  must(
    'batches.lines',
    'Each line of an uploaded file is checked, filtered, transformed and estimated as the call it stands for; one that is refused or blocked refuses the file and is named by its number.',
  ),
  must(
    'batches.owner',
    'A file, a batch and its results are seen, read and changed by the key that made them alone; to every other key they are 404 and in no list.',
  ),
  must(
    'batches.results',
    'Each line of results passes the output filters and transforms; a line that is blocked becomes an error under its custom_id, and a file above the body limit is 413.',
  ),
  must(
    'batches.budget',
    'All that the lines of a batch may come to is reserved and charged when it is made; one that does not fit is refused before it is sent, and one that its provider refused costs nothing.',
  ),
  must(
    'batches.evidence',
    'Upload, start, cancellation, reading of results and deletion are evidence entries without content; cancellation and deletion have one before the provider is asked, too.',
  ),
  must(
    'batches.list-partial',
    'A page of batches lists every batch: one whose provider gives no answer, or is no longer configured, has status null and says why in errors.',
  ),
  must(
    'batches.nothing-left',
    'A file or batch whose owner could not be noted is deleted or cancelled at its provider, also where the caller is gone.',
  ),
  must(
    'error.not-found-hint',
    'A path that no endpoint has is 404 and says what to set in the client: the base URL, what to send instead of files, batches and stored responses, or which endpoints the gateway serves.',
  ),
  must(
    'responses.stream',
    'A streamed response comes in the numbered events of the Responses API, whatever the provider speaks.',
  ),
  must(
    'responses.tool-use',
    'Tool calls on /v1/responses are rejected or decided as on /v1/messages, whole and streamed.',
  ),
  must(
    'responses.kept',
    'The gateway keeps no responses itself: conversations, stored prompts and background are 400 and say what to send instead.',
  ),
  must(
    'responses.stored',
    'Where a provider keeps responses (keeps_responses), their own key reads, lists, continues and deletes them under ids of the gateway, filters and evidence included; what holds a call that was not allowed is deleted there, and store in the answer says what was done.',
  ),
  must(
    'models.both-forms',
    'Models are listed and looked up in the form of OpenAI, and of Anthropic for callers that send anthropic-version.',
  ),
  must(
    'models.demo-names',
    'The shipped configuration answers names of both vendors from the built-in mock; banner and list name them, and an unknown name is 404 with what is allowed.',
  ),
  must(
    'models.demo-last',
    'Where no route decides, the built-in mock answers for a model of another name only if no other provider lists that model, enabled or not.',
  ),
  must(
    'chat.store',
    'A chat completion is not kept by its provider: store: true is left out by name, and refused in a batch.',
  ),
  must(
    'chat.addresses',
    'Addresses that a chat would have its provider fetch are refused if they are not public, or as chat_addresses says; under govern each public address that is not listed is decided as http.get, and refused in batches. Content in base64 passes.',
  ),
  must(
    'chat.choosing-members',
    'Members by which a provider may use another model or tools (models, route, fallbacks, plugins, …) are refused unless providers[].passes lists them; other unknown members pass.',
  ),
  must(
    'chat.replied-model',
    'A reply that names another model than the one asked for is charged as the dearer of the two, recorded as replied_model, logged and an alert of the tenant; a snapshot, vendor prefix or alias is no other model.',
  ),
  must(
    'rollout.at-once',
    'A move of a rollout counts at once in the process that made it; elsewhere within ten seconds.',
  ),
  must(
    'budget.served',
    'What was served is charged: the tier, speed and region that the answer names, cache writes by their lifetime, and long contexts at the price of the row; without such a price the log warns once.',
  ),
  must(
    'models.demo-marked',
    'An answer of the built-in mock for a model of another name has X-Gateway-Demo and a model that begins with mock, is not cached, costs what a mock costs, and counts as an error if a provider failed before it.',
  ),
  must(
    'providers.key-unset',
    'A provider whose key is not set is unhealthy with the reason in GET providers and the status, and a failure of agentctl doctor; its calls count as errors.',
  ),
  must(
    'chat.own-spelling',
    'A member of a request, message, part or tool that differs from a known one in case only is 400: some servers would obey it instead.',
  ),
  must('chat.models', 'GET /v1/models lists what the tenant may use.'),
  must('chat.unknown-fields', 'Unknown fields pass through both ways.'),
  must('chat.pipeline.order', 'The pipeline stages run in the order of the specification.'),
  must('chat.input-policy', 'keyword, regex, PII, WASM filters run on input; a block is 403 policy_violation.'),
  must('chat.output-policy', 'Filters run on output, in streams on decoded text.'),
  must('filters.pii-linear', 'Texts made to look like card numbers take time in proportion to their length.'),
  must(
    'content.json-text',
    'Arguments of tool calls are filtered as their JSON decodes, in streams too; what is redacted leaves valid JSON.',
  ),
  must(
    'matching.unicode-data',
    'Look-alikes of ASCII, enclosed letters and numbers, and invisible blanks are tables generated from the Unicode data; everyday text of other scripts is left as it is.',
  ),
  must(
    'content.invisible',
    'Invisible characters neither hide a phrase nor part its words, whole and in streams; texts that need them pass unchanged.',
  ),
  must(
    'providers.complete-ends',
    'A complete answer ends the call, whether or not the vendor closes the connection; an answer without its end is a fault.',
  ),
  must(
    'passthrough.rows',
    'An answer of completions or moderations without a row for each text, or of images with more rows than were asked for, is a fault of the provider.',
  ),
  must(
    'errors.param',
    "A refusal names the member of the caller's request, in the words of its endpoint and with the caller's own indexes, also if a provider names a member of its own dialect.",
  ),
  must(
    'providers.converse-messages',
    'Messages to Converse alternate, are not empty, have documents with distinct names of the characters it takes and a text beside them, and keep the lifetime of cache breakpoints.',
  ),
  must(
    'dialects.unknown-end',
    'A reason for the end of an answer that is missing, or that the gateway does not know, is never an ordinary end: it passes in the same dialect, and counts as a cut in another; tool calls of a stream without one are not released; output that the provider calls malformed is its fault.',
  ),
  must(
    'content.personal-data',
    'Each kind of personal data is found with a recall of 0.97 and a precision of 0.98 on a generated corpus.',
  ),
  must(
    'messages.tool-stream',
    'Of a stream only whole tool calls that were decided reach the caller; events of no open block, calls of unknown types and content of the first event are dropped or replaced.',
  ),
  must(
    'messages.provider-run',
    'Where tools pass on messages, servers of the caller, tools that the provider runs and betas in the body are refused unless listed.',
  ),
  must(
    'messages.betas-left-out',
    'Where tools pass on messages, a value of anthropic-beta that is not listed does not reach the provider, and X-Left-Out names it; the call goes on.',
  ),
  must(
    'messages.hook-mode',
    'With tool_use: hook, tool calls pass undecided, as the hook of a coding agent asks for each; what a provider would run itself stays refused.',
  ),
  must(
    'responses.namespaces',
    'Tools that a responses request groups in a namespace go to the provider as <namespace>__<tool>, are decided by that name, and have their own name and namespace again in the answer and in its stream.',
  ),
  must(
    'messages.structured-output',
    'With tool_use: govern, the call of a single forced tool passes as data where no rule, guard or effect concerns it and the conversation holds no other call; anything else is decided.',
  ),
  must('messages.tool-choice', 'tool_choice without tools is refused under tool_use: reject.'),
  must('messages.ids', 'Replies on /v1/messages carry ids that begin with msg_, whichever provider answered.'),
  must(
    'messages.known-query',
    'The query parameter beta of known clients passes on /v1/messages; unknown ones are 400. HEAD / answers 200.',
  ),
  must(
    'chat.refused-recorded',
    'A call that is refused before its model is known stands in the log and, for an authenticated key, in the request list with its reason, ten times a minute and key at most.',
  ),
  must(
    'content.embedded-text',
    'A file in base64 or a data address is text where its bytes are, whatever it calls itself; filters look at it.',
  ),
  must(
    'content.every-text',
    'Filters look at every text of requests, replies and streams that is not known to be opaque, and across the parts of a message and of messages of one role that follow each other.',
  ),
  must('chat.filters.strictest', 'All filters run; the strictest action wins.'),
  must(
    'chat.filter-warning',
    'The header X-Policy-Warning names the filters that warned, as far as they have run when the reply begins.',
  ),
  must(
    'chat.review-202',
    'A content review answers 202 and is retried with X-Approval-Ref; a client library that asked for a stream gets an error event with the approval.',
  ),
  must(
    'responses.result-pictures',
    'Pictures within the result of a tool reach a provider of chat completions in a user message after the results.',
  ),
  must(
    'clients.browser',
    'The official clients work on pages of listed origins (dangerouslyAllowBrowser), with the headers that they bring; the browser lets pages of other origins neither call nor read.',
  ),
  must(
    'clients.review',
    'Through each client library a review is an error that carries address and id, or waits and answers in place, as approvals.chat_review says; an approval lets the call through, and a denial is an error with the words of the reviewer.',
  ),
  must(
    'chat.review-error',
    'approvals.chat_review, or that of the tenant, makes a content review a 409 whose message names address and id, or holds the call, a stream with keep-alives.',
  ),
  must('chat.kill-switch', 'The behavioural kill switch answers 403 session_blocked.'),
  must('chat.aliases', 'Model aliases are resolved.'),
  must('chat.transforms', 'System prompt injection and response transforms per tenant.'),
  must('chat.routing', 'Glob routing with priority, round-robin and region groups.'),
  must('chat.breaker', 'A circuit breaker per provider trips and recovers; fallback where the route lists it.'),
  must(
    'chat.breaker-shared',
    'On AWS all environments share the breakers: they trip by what all saw, one environment probes at a time, and while nothing changes no round trip is added. Without the shared state each goes by its own.',
  ),
  must(
    'chat.provider-keep-alive',
    'A provider that keeps its connection alive without an event, or without an end, is left at its time-out.',
  ),
  must(
    'chat.provider-request-id',
    "An error that a provider caused names the provider's id of the call, in x-provider-request-id, the message and the log.",
  ),
  must('chat.retry-after', 'A 429 has a Retry-After, also where a provider that limits its callers names no time.'),
  must(
    'chat.provider-error',
    'A provider failure is 502 with a generic message that names the provider and the id of the request.',
  ),
  must(
    'chat.translated-members',
    'A member of a request that the form of the provider lacks is refused by name with 400 and what is allowed where its loss would make another answer, and is left out by name where it would not.',
  ),
  must(
    'chat.call-members',
    "A vendor's own members of a tool call, such as a thought signature, are in the vendor's history again when a caller of messages or of responses sends the call back, whole and streamed.",
  ),
  must(
    'chat.left-out',
    'What a request holds and its provider does not get stands in X-Left-Out and in the left_out of its entry, also of an answer from the cache.',
  ),
  must(
    'chat.unfit-provider',
    'A provider whose form lacks what a call asks for is passed over; the 400 that says so is answered where no provider of the route failed otherwise.',
  ),
  must(
    'chat.provider-overload',
    "A provider's overload (503, 529, or an error of that type in a reply or a stream) is 529 overloaded_error on messages and 503 elsewhere, with the provider's Retry-After; in a stream that has begun it is the last event.",
  ),
  must(
    'chat.provider-status',
    'A time-out of a provider (408, 504) is 504, a request too large for it is 413, a model it does not have is 404, and a 429 for an empty account asks clients not to repeat it.',
  ),
  must('chat.abort', 'A client that goes away closes the provider stream within a second and is billed as aborted.'),
  must('cache.control', 'Cache-Control: no-cache or no-store asks the provider and keeps nothing.'),
  must(
    'cache.temperature',
    'Requests with a temperature above cache.max_temperature are not cached; anthropic-beta is part of the key.',
  ),
  must('chat.cache', 'Exact and semantic cache, scoped by tenant.'),
  must('chat.traceparent', 'traceparent is continued and forwarded.'),
  must('limit.rate', 'RPM and TPM per tenant, exact across processes; 429 with Retry-After.'),
  must(
    'limit.requests',
    'Each request to the gateway and to MCP counts as one of its tenant and its key; ping, notifications, responses, health, and what ends a call, a task or a session do not.',
  ),
  must('limit.rate.fails-closed', 'A failing limiter is 503.'),
  must('limit.none', 'A tenant without limits and budgets has no counters: its calls make no store step for them.'),
  must(
    'limit.begun',
    'Where nothing waits between the reservation and the provider, the start of a call is noted with the reservation, and not by a write of its own.',
  ),
  must(
    'limit.shards',
    'The counters of a tenant that many processes use are split into up to 64 items and merged again; no limit is passed, and no call is refused while the tenant has room.',
  ),
  must(
    'limit.lease',
    'A process that makes many calls of a split tenant without budgets spends from a lease of at most ten requests; all of a lease counts until it is returned or has left the window.',
  ),
  must(
    'limit.shed',
    'A call whose counters are too busy is 503 with Retry-After after three lost writes; above capacity most of the capacity is still used.',
  ),
  must('limit.budget', 'Budgets alert at 80 %, warn at 90 %, refuse at 100 % with 429 budget_exceeded.'),
  must(
    'limit.key',
    'A key may have requests and tokens a minute of its own beside its tenant: a call passes where both have room, a refusal says whose limit it is and consumes nothing of either, and keys without any take no store step more.',
  ),
  must(
    'limit.key-budgets',
    'A key may have a budget of its own, also by model: it refuses, warns, alerts and heals as those of tenants, and stands in GET budgets and forecasts with scope key.',
  ),
  must(
    'limit.key-models',
    'A key may have allowed_models: other models of its tenant are refused with 403 naming the key, and left out of GET /v1/models.',
  ),
  must(
    'budget.surcharges',
    'A request for a tier, mode or region above the list price is reserved and charged at the highest factor that vendors list.',
  ),
  must(
    'limit.model-name',
    'A model name with characters that are not visible, or blanks at its ends, is 400: prices and budgets know it by another name.',
  ),
  must('limit.key-tenant', 'A key with limits of its own calls in its own tenant only.'),
  must(
    'limit.largest-output',
    'Of the members that say how much a call may put out the largest is reserved, whichever of them the provider obeys; one without end is 400.',
  ),
  must('limit.actual-body', 'The token limiter measures the actual body.'),
  must('wasm.abi', 'WASM filters follow the ABI and run sandboxed, one call at a time per instance.'),
  must(
    'wasm.upload',
    'A module is uploaded under its digest: digest, then size and interface are checked before it is stored; a configuration that names a digest which is not stored is refused.',
  ),
  must('wasm.timeout', 'A WASM call ends after its timeout; on_error decides.'),
];

const toolGateway: readonly Requirement[] = [
  must('mcp.json-rpc', 'The MCP gateway speaks JSON-RPC 2.0 and SSE; each tool call is an ActionEnvelope.'),
  must('mcp.older-sse', 'The older HTTP+SSE transport works, whichever processes stream and messages meet.'),
  must(
    'mcp.event-streams',
    'GET /mcp is 405, GET /sse 404 and subscriptions/listen -32601 where open streams are billed, unless the configuration offers them; a stream there ends after 25 s at the latest, and clients go on without.',
  ),
  must(
    'cancel.any-process',
    'POST /v1/requests/{id}/cancel and notifications/cancelled end a call in whichever process it runs, within about a second; what was streamed is billed, evidence says aborted and by which key; calls that end within a second cost no store step for it.',
  ),
  must(
    'cancel.owner',
    'Only the key that began a call, and for MCP only its session, cancels it; to others it is unknown (404). A call that has ended is 409.',
  ),
  must('evidence.delivery', 'Where the host does not see its callers, a chat entry says that delivery is unknown.'),
  must(
    'mcp.stream-bound',
    'A key and a session have a bounded number of event streams open over all processes of AWS; one more is 429.',
  ),
  must(
    'mcp.conformance',
    'The official conformance suite finds the same directly and through the gateway, at 2025-11-25 and 2026-07-28.',
  ),
  must(
    'mcp.waiting',
    'A caller waits for a human by a task, input_required, a held answer or -32002 and the retry, by what its client can do.',
  ),
  must(
    'mcp.input-required',
    'A client that can open addresses is pointed to the approval; the call it sends again runs once, when approved.',
  ),
  must('mcp.request-state', 'A forged or stale requestState is -32602 with data.reason; nothing runs.'),
  must('mcp.foreign-ids', 'Tasks, sessions and requests of another key are as unknown as none.'),
  must(
    'mcp.refusals',
    'What is not JSON (-32700) or not a JSON-RPC message (-32600) is HTTP 200 with a JSON-RPC error, as errors of requests are; a protocol revision that is not spoken is HTTP 400.',
  ),
  must('mcp.headers', 'Headers that repeat a message must say what it says (-32020).'),
  must('mcp.store-steps', 'An MCP block takes at most three store steps in a row, an allow at most four.'),
  must(
    'mcp.resumable',
    'In 2025-11-25, on a host of one process, an answer that comes as events begins with an id and a time to wait; after a broken connection GET with Last-Event-ID gives the rest, once a message, to the same key and session alone.',
  ),
  must(
    'mcp.approvals-reconnect',
    'A client that reconnects with the same key and name finds the approval of the identical call, which counts once and in the session that asked for it. Another call, key, client or X-Session-ID does not.',
  ),
  must(
    'mcp.reconnect-decided-alone',
    'A call after a reconnect is decided in its own session: neither words, sources, task nor risk of an earlier connection count for it, or its own for that.',
  ),
  must(
    'mcp.forgotten-session',
    'A server over HTTP that has forgotten its session is met with a new handshake and the request once more, however it says so; an error of a tool is passed on.',
  ),
  must(
    'mcp.stdio-endless-line',
    'A server over stdio that writes a line without an end is ended, and starts again; one whose answer is too large goes on.',
  ),
  must(
    'mcp.progress-grows',
    'Progress of a wait counts seconds, with the total; that of the server goes on from there, so that progress always grows.',
  ),
  must(
    'mcp.one-bad-line',
    'A message of a server that cannot be read, a definition that is none, and a cursor that comes again take no other tool or call of it away.',
  ),
  must(
    'mcp.conversations-shared',
    'Of more than 2,000 open conversations with MCP servers the key that holds most loses the one it used longest ago: no key ends those of another.',
  ),
  must(
    'mcp.shared-servers',
    'Of a server that several callers share, a session hears that lists changed and its own subscriptions; log lines go to the gateway.',
  ),
  must('mcp.sessions', 'A session belongs to the key that opened it and survives its process.'),
  must('mcp.passes-through', 'Results pass untouched but for secrets.'),
  must('mcp.names', 'Names that collide between servers carry their server.'),
  must(
    'mcp.tool-classes',
    'The list of MCP tools shows capability, why, target argument and the decision of the policy in force.',
  ),
  must('mcp.hidden', 'Tools that policy blocks in any case are not listed.'),
  must(
    'mcp.tool-bound',
    'A server that lists more tools than max_tools is refused with the bound; long lists are worked on in slices.',
  ),
  must(
    'mcp.answer-bounds',
    'An answer of a server with more values than max_result_values, or nested too deep, is refused before it is parsed.',
  ),
  must(
    'guard.results',
    'What an MCP server answers is looked over for words to the model, hidden and encoded ones too, for links that carry data out, terminal escapes and forms for secrets; each kind is recorded, marked, removed or withholds the result, as tool_guard.results says.',
  ),
  must(
    'catalog.secret-files',
    'A path is a secret file or not by core/catalog/secret-files.yaml: the guards of packs, session risk and the tool guard give the same answer.',
  ),
  must(
    'catalog.own-files',
    'Files that a configuration adds to the catalog (catalog.secret_files) are secret files to the guard of its pack, session risk and the tool guard.',
  ),
  must(
    'catalog.networks',
    'An address or host belongs to one network (public, private, loopback, link-local, metadata, reserved) by the ranges and names of core/catalog/networks.yaml; executors, plugin downloads, argument checks and session risk use the same answer.',
  ),
  must(
    'guard.asks-context',
    'A request of a server for a reply of the model (sampling) with the context of the conversation is asked without it, recorded or refused, as tool_guard.results.asks_context says; words to the model that are split over its messages are found.',
  ),
  must(
    'guard.arguments',
    'Arguments of calls to MCP servers are looked over for shell, template, path and URL injection, secrets, personal data and prompts; each kind is recorded, reviewed or blocked as tool_guard.arguments says, and a stricter rule stays.',
  ),
  must(
    'guard.roots',
    'Paths and addresses in arguments that are not known to lie below the roots of their server, of the call and of the session of its client are recorded, reviewed or blocked as tool_guard.arguments.outside_roots says; steps up, encodings, look-alike separators, homes and variables are outside. Roots of clients only narrow.',
  ),
  must(
    'guard.roots-links',
    'Where a server runs on the machine of the gateway, or a caller declares the roots of its call there, every link on the way to a place is followed: what leads out of the roots, or cannot be followed, is outside.',
  ),
  must(
    'guard.roots-of-call',
    'A caller of test-action declares roots for its call; they are compared with the arguments whatever the protocol, and only narrow what the roots of the server allow.',
  ),
  must(
    'guard.schema',
    'With tool_guard.arguments_schema: refuse, a tools/call whose arguments do not fit the inputSchema of its tool is blocked before it is sent; the error says where and what is allowed, and no value. A hostile schema neither runs, repeats nor fetches.',
  ),
  must(
    'guard.definitions',
    'A tool whose definition instructs the model, hides text, has letters that look like others, asks for the conversation or for files with keys, or contradicts itself is held for a human, hidden or recorded, as tool_guard.definitions says.',
  ),
  must(
    'guard.shadowing',
    "A tool whose name passes for another server's tool, or whose texts give orders about one, is held, hidden or recorded as tool_guard.definitions.shadowing says, whichever server came first; equal names carry their server and pass.",
  ),
  must(
    'guard.changes',
    'A changed definition passes by itself where it is known to add nothing that matters; new instructions, words the gateway does not judge, reach, addresses, types, defaults, required parameters, secrets and looser annotations wait for a human, and approvals of calls for which the change matters are void.',
  ),
  must(
    'guard.figures',
    'On the generated corpora the tool guard acts on at least 90 % of harmful rows, averaged by kind, and on at most 1 % of harmless ones, on the held-out third as well.',
  ),
  must(
    'guard.no-content',
    'Evidence names the kind, place and action of each finding of the tool guard, and none of its words.',
  ),
  must(
    'guard.fails-closed',
    'A result that the tool guard cannot look over is withheld; the answer says that the call ran.',
  ),
  must(
    'guard.bytes',
    'Text that a result holds in base64 is checked like plain text: findings in it are marked, removed or withheld, and tokens are cut out. Bytes of pictures, sounds and archives stay as they came.',
  ),
  must(
    'chat.streams-cut',
    'Streams of providers and MCP servers are read, filtered and governed alike wherever a network cuts their bytes: within a character, a line end, a field or an argument of a call.',
  ),
  must(
    'guard.pieces',
    'Words that only several texts of a result make up are found: lines of a list, names and values of members, and JSON in a text. Texts that begin or end by themselves are not joined.',
  ),
  must(
    'guard.chat-definitions',
    'With tool_guard.chat_definitions definitions of tools in the request of a chat or in a line of a batch are looked over: kinds are recorded, or a request with a kind that tool_guard.definitions does not only log is refused.',
  ),
  must(
    'guard.chat-results',
    'With tool_guard.chat_results results of tools in the request of a chat are looked over before the model reads them, with the kinds and actions of results of MCP servers: recorded, marked, stripped, or the request is refused.',
  ),
  must(
    'guard.classifier',
    'A classifier that tool_guard.classifier names, a WASM module or a model, looks at results and at new or changed definitions after the rules of the guard: what it scores at its threshold or above is recorded, marked, removed, withheld or held for a human. Without one nothing is asked.',
  ),
  must(
    'guard.classifier-errs',
    'Where a configured classifier errs, is late, answers in another form, has no budget or would have to read too much, results are withheld and definitions not served, with the reason; on_error: log records it and lets them pass.',
  ),
  must(
    'guard.classifier-cost',
    'A call of a classifying model is reserved and settled against the limits and budgets of the caller; evidence names the classifier, its version, the score and the cost, and no word of the text.',
  ),
  must(
    'guard.unmarked',
    'What servers say where no mark fits is looked over as well: instructions, lists of prompts and resources, completions, log lines, progress, and requests to the client outside of calls. What a result would have marked is removed, a thing whose name or address holds it is left out, and a form for secrets is refused.',
  ),
  must('guard.blocks', 'Blocks of text that speak to the model only together are found as one text.'),
  must(
    'guard.asks-secret',
    'A request of a server to the person for a password, key, token, code or card is recorded or blocked, however its form names it and in whichever words it asks; so is an address that is not a page.',
  ),
  must(
    'text.one-reader',
    'The tool guard and the tracing of values read the same encodings, from the same lengths on.',
  ),
  must(
    'guard.linear',
    'The time of the tool guard grows with the length of a text alone, whatever the text is made of.',
  ),
  must(
    'mcp.accept-for-all',
    'A definition of a tool is accepted by callers who may act in every tenant, since it holds for the agents of all of them.',
  ),
  must(
    'mcp.portable-names',
    'Names of tools that the gateway makes have at most 64 characters; with `portable_names` all names have the characters that models take. Rules see the names of the server.',
  ),
  must('mcp.drift', 'A changed tool definition is recorded once: a warning, or no call until a human accepts it.'),
  must(
    'mcp.definition-diff',
    'A human who is to accept a definition reads the accepted and the offered text, what the later one introduces and which tools it stands in front of; accepting can be bound to the definition looked at.',
  ),
  must(
    'mcp.stdio-start',
    'stdio MCP servers start with the gateway, with start_timeout_ms for the handshake; while one waits for its next start, calls say why it ended and what it printed last.',
  ),
  must(
    'mcp.stdio-contained',
    'A stdio MCP server sees neither the processes nor the state folder of the gateway unless contained: false is written, which status shows; one that does not start says what it printed last.',
  ),
  must(
    'mcp.reads-governed',
    'Resources and prompts over MCP are decided as read_resource and get_prompt with capability read and leave evidence; lists hide what is blocked, and only what may be read is completed. Packs that read let addresses pass by a list of schemes; others are reviewed.',
  ),
  must(
    'mcp.forwarded-is-decided',
    'A server gets the arguments that were decided, digested and put into evidence, and protocol members by a list; everything else is refused.',
  ),
  must(
    'mcp.argument-names',
    'Arguments whose names differ in case only, from each other or from the properties of the schema, are -32602: servers that read names without regard to case would act on another value than was decided.',
  ),
  must(
    'mcp.new-tool',
    'A tool that a known server offers for the first time is reported, and under drift: block waits for a human.',
  ),
  must(
    'mcp.families',
    'A server that offers tools of a name or family another one serves gets them under its own name, also while that one is silent.',
  ),
  must(
    'mcp.unplaced-in-evidence',
    'A tool call that no reachable server can take is answered -32003 or -32000 and leaves a block with its envelope.',
  ),
  must(
    'action.unplaced-blocked',
    'A call of test-action that the policy blocks is a block, also where no upstream has the tool.',
  ),
  must(
    'mcp.refusal-log',
    'An MCP message that is refused for its caller, such as one above a rate limit, is not logged as an error.',
  ),
  must(
    'mcp.unplaced-blocked',
    'A tool call that the policy blocks is answered -32001 with the reason, also where no reachable server has the tool.',
  ),
  must(
    'mcp.placement',
    'A call of test-action or of an approval goes to the server whose list has the tool; where that is not known nothing is sent.',
  ),
  must(
    'mcp.upstream-in-digest',
    'The server of a call is decided before it, and stands in digest, evidence and approval: the approved call goes there or is asked about again.',
  ),
  must(
    'mcp.stdio-inherit',
    "A server over stdio is given the gateway's proxy and certificate settings where `inherit` names them, and no other variable; error texts hide the address of the proxy.",
  ),
  must(
    'mcp.resource-metadata',
    'Where an issuer is configured, RFC 9728 metadata names the configured resource, a 401 points to it, and a token whose role is too low gets insufficient_scope; without an issuer there is none.',
  ),
  must('mcp.no-upstream', '-32003 when no upstream serves the tool.'),
  must('mcp.upstream-error', 'Upstream errors name tool and upstream and give a hint.'),
  must('behavior.rules', 'Six anomaly rules score a session; above the threshold it is blocked.'),
  must('behavior.per-key', 'Risk counts per session and per key.'),
  must('behavior.replay', 'Score and alerts follow from evidence alone; each alert cites its entries.'),
  must('behavior.release', 'Only a human administrator releases a blocked session, with evidence.'),
  must('behavior.false-positives', 'Ordinary work stays far below the kill switch.'),
  must(
    'behavior.login-refused',
    'A login that an upstream refuses is noted with the outcome; five different ones alert.',
  ),
  must(
    'behavior.probing',
    'Many dry runs and simulations that are not allowed add points with the next call; so do many different calls that wait for a person.',
  ),
  must('behavior.foreign-approval', "Naming another key's approval counts as misuse of a credential."),
  must('manifest.drift', 'Manifest drift warns, asks or blocks by enforcement_mode.'),
  must(
    'manifest.asks-once',
    'Under review a call outside of its task sheet waits for a human; approved, the same tool, resource or recipient does not ask again in that session, and another one does.',
  ),
  must('manifest.recipients', 'A manifest limits whom calls reach: recipients are found under any usual name.'),
  must('manifest.graver', 'A task sheet only makes decisions graver; an approval never lifts a block.'),
  must(
    'manifest.first-request',
    "With manifests.first_request: narrow the prompt of the first call that has one is the session's task sheet: recipients, and resources where it names some. It stands in the evidence and in the session's head, is never replaced, counts beside what is declared, and trusts no value.",
  ),
  must('manifest.from-request', 'A sheet is derived from the words of a request: recipients and resources it names.'),
  must('manifest.history', 'Drift of each kind is found over the history of a session.'),
  must('manifest.attach', 'A manifest binds a session or a key, or is named by a call.'),
  must('manifest.routes', 'Manifests are declared, shown and deleted by humans, with evidence.'),
  must(
    'corpus.tool-calls',
    'Of harmless everyday tool calls each pack allows at most 3 points fewer than when they were recorded.',
  ),
  must('effects.bypasses', 'Known bypasses of shell and SQL rules become what they would do.'),
  must(
    'effects.argument-lists',
    'Arguments that a tool hands to the program it stands for are read as that command line: one that is not known to look only is reviewed.',
  ),
  must(
    'effects.sql-anywhere',
    'A statement of SQL is read under any name of SQL, as a statement, or as a query of rows, at any depth of the parameters of any tool; what people search for is not.',
  ),
  must(
    'effects.profiles',
    'A shell program is read by its exact options and operands; what its profile does not know makes the line unclear.',
  ),
  must(
    'effects.below',
    'Showing whatever lies below a folder, or changed in a revision, is reviewed unless names or patterns narrow it.',
  ),
  must(
    'effects.display-variables',
    'A variable before a command that only changes how it shows things (CI=1, LANG=C) is kept apart from those that rules about the environment speak of.',
  ),
  must(
    'effects.command-programs',
    'Of programs such as kubectl the command, what it acts on and where are known wherever options stand; what prints secrets has to be named by a rule, and unknown commands and options are reviewed.',
  ),
  must(
    'effects.objects',
    'A rule with a target fits the words of such a command or what it acts on; what is said of the objects counts beside what is said of the words.',
  ),
  must(
    'effects.shows',
    'That a diff, or the patches of up to nine last commits, show every changed file is accepted only by an allow rule with a condition on shows; rules for reading in general do not accept it.',
  ),
  must(
    'effects.workspace',
    'Absolute paths inside the workspace that a call of protocol shell names are read relative to it; other paths and other protocols are not.',
  ),
  must('effects.background', 'A command that changes or runs something in the background of a line is not certain.'),
  must('effects.differential', 'A shell line that is allowed does, when it really runs, nothing beyond its effects.'),
  must('effects.dialects', 'Shell text that shells read differently, or that runs what a variable holds, is unclear.'),
  must('effects.bounds', 'Words, effects and nesting of a shell line are bounded; beyond them it is unclear.'),
  must('effects.everyday', 'Harmless everyday shell lines stay allowed about as often as before.'),
  must(
    'effects.alike-names',
    'A call with two parameters that differ in case only, at any depth, is unclear: servers differ in which they obey.',
  ),
  must(
    'effects.file-named-twice',
    'A call with two parameters that both name its file, such as path and file_path, is unclear unless they name the same one.',
  ),
  must(
    'effects.loops',
    'A loop over plain names, or over a pattern of files that are read, is read with each value in the place of its variable.',
  ),
  must(
    'effects.git-folder',
    'Git in a folder below or outside the workspace (-C, cd, cwd) is unclear: the folder may be a repository whose settings run programs.',
  ),
  must(
    'effects.git-repository',
    'A call to a Git host that names repositories or owners that differ, under whatever name, is unclear.',
  ),
  must(
    'effects.git-branches',
    'A Git command in a shell is read once: its effects say which branches it writes, where, by force or to delete them, and what is not known may be any.',
  ),
  must(
    'effects.git-branch',
    'A branch of a call to a Git host is read by its plain name; what Git takes for no branch may be any.',
  ),
  must(
    'effects.git-parameters',
    'A condition on a nested or long parameter of a call to a Git host that names no file or branch holds for what the call would do as well.',
  ),
  must(
    'effects.git-path',
    'A path of a call to a Git host that Windows or macOS take for another, such as .GitHub or GIT~1, is unclear.',
  ),
  must(
    'effects.http-known-parameters',
    'A parameter that may change where a request goes, or its method, makes the request unclear.',
  ),
  must(
    'effects.http-overrides',
    'What a server may take for the method, the host or the path of a request counts as they do: parameters in another case, headers in any form, _method in query or body, and GraphQL mutations by GET.',
  ),
  must(
    'effects.http-differential',
    'Host and path that are decided on are those the client of Node connects to and sends.',
  ),
  must(
    'effects.sql-closed-world',
    'A function, operator, cast or attribute of a SQL text that is not listed as harmless is a call.',
  ),
  must(
    'effects.sql-differential',
    'What sql-explorer allows changes nothing in a real PostgreSQL, and reads no file of its server.',
  ),
  must(
    'effects.sql-known-nodes',
    'A node of a SQL text that the reader does not know, or a member of one, makes the text unclear.',
  ),
  must('executor.bounds', 'An executor goes no further than its envelope and bounds what it gives back.'),
  must('executor.no-secret', 'Nothing of a credential comes back in a result.'),
  must('executor.unknown-outcome', 'What may have happened in spite of a failure is unknown, and not repeated.'),
  must(
    'action.idempotency-key',
    'A request repeated under the Idempotency-Key of its caller is answered the first outcome, and is carried out at most once.',
  ),
  must(
    'action.no-allow-without-end',
    'An allowed action whose function ended without an outcome gets a result entry that says unknown.',
  ),
  must(
    'action.ends-before-its-function',
    'An execution is ended before the function that runs it, so that its outcome is recorded.',
  ),
  must(
    'aws.no-retry-after-unknown',
    'Where API Gateway waited in vain it answers 504 outcome_unknown without Retry-After, and says how to look the outcome up.',
  ),
  must(
    'configuration.executors-fit-their-host',
    'A configuration whose executors, behind a held approval, may take longer than their host allows fails the load.',
  ),
  must('executor.http', 'HTTP goes to configured services only, at an address checked after resolution.'),
  must('executor.git', 'Git operations are made over the REST interface of the host, never by force.'),
  must('executor.sql', 'Reads run in READ ONLY transactions, values are bound, rows are capped.'),
  must(
    'executor.limits-missing',
    'Where programs run without limits because the machine has no prlimit, a warning says so, and doctor prints it.',
  ),
  must('executor.shell', 'Programs run without a shell, and no process outlives its call.'),
  must(
    'executor.bounded',
    'Programs of this machine have bounds of memory, processor time and number, of all callers and of one key; what is not limited is named in the result.',
  ),
  must(
    'executor.git-settings',
    'Git runs with settings of the gateway that come first: a folder that looks like a repository is not read as one, and reading runs no program.',
  ),
  must('executor.sandbox-function', 'On AWS programs run in a function without network and rights.'),
];

const edgeProxy: readonly Requirement[] = [
  must(
    'http.expectation',
    'An expectation other than 100-continue is answered with a typed 417 at every listener, before the body is sent.',
  ),
  must(
    'http.transfer-coding',
    'A transfer coding beside chunked is refused with a typed error at every listener, because its bytes would be read as if there were none.',
  ),
  must(
    'http.other-upgrades',
    'An upgrade to anything but a WebSocket is ignored, and CONNECT is a typed 405, at every listener of HTTP/1.1.',
  ),
  must(
    'http.connections',
    'Where a listener has too many connections, those that never carried a request of a known caller make room first, so that neither idle sockets nor unfinished requests keep a caller or a probe of health out.',
  ),
  must(
    'http.open-requests',
    'A key may have as many requests open on a listener, and hold as many bytes of bodies, as are still free; beyond that it gets 429 and others are served. People have a share of their own.',
  ),
  must(
    'http.tenant-share',
    'All keys of a tenant together may have three times as many open requests, sockets and bytes of bodies as are still free: one tenant with many keys leaves a quarter to others.',
  ),
  must(
    'http.slow-bodies',
    'A body of which fewer than 16 kB arrive in a minute ends its request; a slow and steady upload is read to its end.',
  ),
  must('edge.listeners', 'The edge listens on 8443 (TLS, HTTP/2 and HTTP/1.1) and 8444 (HTTP/2 in cleartext).'),
  must(
    'edge.http3',
    'HTTP/3 is served on 8445 where a Caddy is found; what works and what is refused is the same as over HTTP/2.',
  ),
  must(
    'edge.forwarded',
    'What a client says in X-Forwarded-* and in fields of the connection is replaced; all else goes on.',
  ),
  must(
    'edge.address',
    "The listeners behind the edge see the client's address and the address that it asked for, and believe them of the edge alone.",
  ),
  must(
    'edge.mcp-metadata',
    "OAuth's metadata of the MCP endpoint (RFC 9728) is found at the root of the edge, and names the edge's own address.",
  ),
  must('edge.own-host', 'The edge answers to its own names and addresses and to no other authority.'),
  must(
    'edge.streams',
    'Answers pass as they come; a client that leaves ends the upstream request, an answer cut off is seen as cut off.',
  ),
  must('edge.websocket', 'The chat WebSocket is passed through the edge.'),
  must('edge.fail-closed', 'Without a known configuration the edge lets nothing in.'),
  must('edge.no-delay', 'An answer leaves the edge at once, whatever part of it the client has acknowledged.'),
  must(
    'edge.in-process',
    'A request of HTTP/1.1 goes from the edge to its listener without a connection between them.',
  ),
  must(
    'edge.one-write',
    'A head whose body is at hand leaves the edge with it in one write; the head of a stream without a first chunk leaves alone.',
  ),
  must(
    'edge.slow-readers',
    'An answer whose bytes wait is ended when its client takes fewer than 16 kB of them in a minute; one that is read slowly and steadily, or has nothing to send, stays open.',
  ),
  must(
    'edge.hostile',
    'Header bombs, contradicting lengths, floods of reset streams and heads without an end are refused or end with their connection.',
  ),
  must(
    'edge.connections',
    'Where more connections are open than edge.max_connections, one without a request is closed so that others are served: those that never had one first, the oldest before the others.',
  ),
  must('trace.edge-parent', 'The span edge.request is the parent of what the listeners behind it record.'),
  must('edge.routing', '/api loses its prefix; /admin, /mcp and the metadata of /mcp keep theirs.'),
  must('edge.alt-svc', 'Answers over TLS advertise HTTP/3 with max-age 86400 while it is served.'),
  must('edge.load-shedding', 'Three priority tiers; X-Priority: critical is protected.'),
  must('edge.rate-limit', 'A token bucket limits the edge, and an upstream breaker guards it.'),
  must(
    'edge.counters',
    'svc_edge_requests_total, svc_edge_active_connections, svc_edge_loadshed_total and svc_edge_connections_ended_total count.',
  ),
];

const webConsole: readonly Requirement[] = [
  must(
    'console.served',
    'The local host serves the console at /console/ of the admin listener: GET and HEAD, its own files only; a browser that asks for / is sent there.',
  ),
  must(
    'console.policy',
    'The console runs no inline code, asks no other host, cannot be framed, and sends no referrer; Trusted Types are required.',
  ),
  must('console.size', 'A browser is sent at most 70 kB before the console works.'),
  must(
    'console.compressed',
    'Files of the console are compressed with Brotli or gzip for clients that accept it, by their weights, and not sent again to those that have them.',
  ),
  must(
    'console.sign-in',
    'A key signs in for one tab: it is in no address, cookie or lasting storage, and signing out forgets it.',
  ),
  must(
    'console.sign-in-link',
    'The local host prints a link that signs in once: its token is in the fragment, for this machine, for ten minutes and for one run.',
  ),
  must('console.roles', 'What a role or kind of key may not do is not shown.'),
  must(
    'console.approvals',
    'Pending approvals appear by themselves, the title counts them, and an address opens one without deciding.',
  ),
  must(
    'console.card',
    'The card shows who asks, the whole call, its effects in words, the rule with its reason, and the time left.',
  ),
  must(
    'console.events',
    'A shown tab follows the events of approvals instead of asking again and again, and asks where there is no stream.',
  ),
  must(
    'console.passkeys',
    'A person registers a passkey in the console and approves with it; the page says why where that cannot work.',
  ),
  must('console.vote', 'A vote is a POST after a second look, with a comment; a decision that came first is reported.'),
  must(
    'console.many-pending',
    'With 10,000 approvals pending the page holds only what it shows; keys, votes and events count as with one.',
  ),
  must('console.keyboard', 'Approvals are decided by keyboard alone; single keys can be switched off.'),
  must(
    'console.hostile-text',
    'Text of agents stays text: no markup, nothing invisible, nothing that widens the page.',
  ),
  must('console.accessible', 'axe finds no violation on any page, in light and dark, from 360 px on.'),
  must(
    'console.outage',
    'While the gateway is down the last answer stays, a vote is not claimed, and the page goes on by itself.',
  ),
  must('console.sessions', 'Sessions are listed; one shows its risk and its entries.'),
  must(
    'console.verify',
    'The browser verifies a session or a bundle from a file with the verifier of the command line, in a worker with progress, and sends it nowhere.',
  ),
  must(
    'console.verify-log',
    'The page and the HTML file of a session take the keys of the log and of witnesses, and say who saw the session or which witness did not.',
  ),
  must(
    'console.traffic',
    'Requests, latency and cost are drawn over time by dimension, with a table that says the same.',
  ),
  must('console.rollouts', 'Rollouts show what both sides did; they are paused, resumed and rolled back.'),
  must('console.credentials', 'Credentials that are still good are listed and revoked; no value is shown.'),
  must('console.requests', 'Chat calls are listed with decision, outcome, tokens, cost and session.'),
  must(
    'console.session-end',
    'When the key ends under an open page, the page stays with what was typed and sends nothing; signed in again the same person goes on, another one begins with new pages.',
  ),
  must(
    'console.policies',
    'Rules with their conditions, versions and their differences are shown; a call is evaluated and nothing is recorded.',
  ),
  must(
    'policy.simulate-draft',
    'POST simulate decides calls by tool_policies that are tried out and not stored, checked as a configuration is, with the exact difference to those in force and the trace of each call; agents may not.',
  ),
  must(
    'console.playground',
    'The playground takes a pasted or a recorded call and policies that are changed beside it, and shows decision, trace and exact difference while they are typed: decided in the browser with the modules of the gateway, which is asked only for what it alone knows.',
  ),
  must(
    'console.policy-saved',
    'A platform administrator stores changed policies as a new version with a reason; others see no editor, and a version that came meanwhile is not overwritten.',
  ),
  must(
    'console.tools',
    'Definitions of MCP tools that no human has accepted are shown beside the accepted ones, with what they introduce and which tools they stand in front of, on the card of a call too; a person accepts the one looked at.',
  ),
  must(
    'console.highlight',
    'Executed commands and queries are coloured by their parts; no character is added, hidden or moved.',
  ),
  must('console.alerts', 'Alerts are shown with what was measured, and acknowledged.'),
  must('console.budgets', 'Budgets are shown as they stand, with their forecast.'),
  must('console.levels', 'Traffic and budgets are shown of one level of the organisations, where there are any.'),
  must('console.health', 'Dependencies, providers, notifications and violations are shown.'),
  must('console.states', 'Every page says when it waits, when there is nothing, and what went wrong.'),
  must('console.own-origin', 'No page asks another host or breaks its policy.'),
  must('console.package', 'The installed package serves the console without a compiler.'),
];

/** The areas of the list, in the order of the generated page. */
export const areas: Readonly<Record<string, readonly Requirement[]>> = {
  'Governed actions': actions,
  'Tool policies': policies,
  Configuration: configuration,
  'Identity and rights': identity,
  Approvals: approvals,
  Evidence: evidence,
  Credentials: credentials,
  'Admin API': admin,
  'Command line': cli,
  'Hosts and AWS': hosts,
  'Chat gateway': chat,
  'Tool and MCP gateway': toolGateway,
  'Edge proxy': edgeProxy,
  'Web console': webConsole,
};

export const requirements: readonly Requirement[] = Object.values(areas).flat();
