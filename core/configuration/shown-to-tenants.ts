/**
 * Members of a configuration that a tenant's callers may read. Members not listed here are hidden
 * [policy-version.own-tenant].
 */

/**
 * One object per line: its path, followed by its visible members. A member that contains an object or a list of objects
 * has a line of its own; `*` matches any name; `member!` is shown completely. Rules, guards and the signed index are
 * shown completely, because omitting a member would change their meaning. The following settings are hidden: how the
 * gateway is reached and administered, how it authenticates to other systems (names of secrets, unless the object is
 * invalid without them), where it sends reports, and which callers use tokens from other issuers.
 */
const shownMembers = `
: aliases alerts analytics approvals behavior budgets cache catalog chat_addresses chat_completions credentials evaluation evidence executors identity manifests
: messages organizations people policies prices provenance providers rollouts routes sandbox separation_rules server supply_chain
: tenants tool_guard tool_policies transform upstreams version

aliases: models
aliases.models: *
alerts: enabled error_rate oldest_pending_seconds p95_latency_ms rejected_credentials_per_minute requests_per_minute sigmas usd_per_minute
analytics: enabled
approvals: chat_review denial_lifetime digest escalate_to hold_seconds max_pending_per_key max_pending_per_tenant on_approval timeout_seconds
approvals.digest: above channels every_seconds
behavior: credential_abuse destructive_sequence enabled exfiltration fan_out key_factor kill_switch_score known_hosts privilege_escalation
behavior: repeated_escalation sensitive window_minutes
behavior.credential_abuse: failures points secrets
behavior.destructive_sequence: after_denial_points deletes minutes points
behavior.exfiltration: direct_points further_points points
behavior.fan_out: minutes places points
behavior.privilege_escalation: light_points points
behavior.repeated_escalation: attempts points probe_points probes review_points reviews
budgets: tenants
budgets.tenants: *
budgets.tenants.*: daily_usd models monthly_usd
budgets.tenants.*.models: *
budgets.tenants.*.models.*: daily_usd monthly_usd
cache: enabled max_entries max_temperature semantic ttl_seconds
cache.semantic: embedder embedding_model enabled threshold
catalog: networks! programs! secret_files
chat_completions: tool_use
credentials: brokers grants tickets
credentials.brokers: api_url app_id credential_type generated_key installation_id mount name namespace private_key_env region role role_arn
credentials.brokers: secret_env secret_id token_env type url
credentials.grants: broker protocol scope tool ttl_seconds upstream
credentials.tickets: ttl_seconds
evaluation: max_characters sample_rate
evidence: log retention_days sensitive
evidence.log: enabled witnesses
executors: git shell sql
executors.git: allow_private api_url enabled max_response_bytes timeout_ms
executors.shell: allowed_binaries contained enabled max_concurrent max_concurrent_per_key max_cpu_seconds max_memory_bytes max_output_bytes max_processes network timeout_ms
executors.sql: databases max_result_bytes max_rows
executors.sql.databases: database host name port resource_arn secret_arn statement_timeout_ms tls url_env
identity: mcp_resource
manifests: enforcement_mode first_request
messages: betas provider_tools structured_output tool_use
organizations: grants id name policies teams
organizations.grants: person role
organizations.policies: rules!
organizations.teams: grants id members name policies projects
organizations.teams.grants: person role
organizations.teams.policies: rules!
organizations.teams.projects: environments grants id name policies
organizations.teams.projects.grants: person role
organizations.teams.projects.policies: rules!
organizations.teams.projects.environments: grants id kind policies tenant
organizations.teams.projects.environments.grants: person role
organizations.teams.projects.environments.policies: rules!
people: id name role tenants
policies: break_glass governance_mode input output
policies.input: action entities keywords name on_error path patterns sha256 timeout type
policies.output: action entities keywords name on_error path patterns sha256 timeout type
prices: file table unknown_model
prices.table: as_of models
prices.table.models: cache_read_usd_per_million cache_write_1h_usd_per_million cache_write_usd_per_million input_usd_per_million long_context match
prices.table.models: output_usd_per_million source
prices.table.models.long_context: above_tokens input_usd_per_million output_usd_per_million
provenance: retention_hours
providers: base_url breaker enabled keeps_responses latency_ms models name passes region retry timeout_ms type
providers.breaker: error_rate min_requests open_seconds window_seconds
providers.retry: max_attempts
rollouts: error_threshold latency_p95_threshold observation_window stages
routes: match providers regions strategy
routes.match: model
routes.regions: name providers
sandbox: git http shell sql
sandbox.git: allowed_repositories block_default_branch_merge block_force_push blocked_repositories protected_branches protected_files
sandbox.http: allowed_hosts allowed_methods blocked_hosts
sandbox.shell: allowed_binaries allowed_paths blocked_binaries blocked_paths
sandbox.sql: allowed_schemas allowed_tables block_ddl block_grant blocked_schemas blocked_tables require_where
separation_rules: applies_to capability name requires
separation_rules.requires: approvals from_teams not_same_team roles
server: max_body_bytes mcp
server.mcp: event_streams max_streams_per_key max_streams_per_session older_transport
supply_chain: index! root_key
tenants: allowed_models api_keys approval_digest_above chat_review id max_body_bytes name rate_limit system_prompt transform
tenants.api_keys: allowed_models budget key_env key_sha256 kind name owner person platform priority rate_limit role
tenants.api_keys.budget: daily_usd models monthly_usd
tenants.api_keys.budget.models: *
tenants.api_keys.budget.models.*: daily_usd monthly_usd
tenants.api_keys.rate_limit: requests_per_minute tokens_per_minute
tenants.rate_limit: requests_per_minute tokens_per_minute
tenants.transform: response system_prompt_prefix system_prompt_suffix
tenants.transform.response: content_prefix content_suffix replacements strip_pii
tenants.transform.response.replacements: *
tool_guard: arguments arguments_schema changes chat_definitions chat_results classifier definitions results
tool_guard.arguments: command outside_roots path personal_data prompt secret template url
tool_guard.classifier: filter looks_at max_bytes model on_error threshold timeout_ms type
tool_guard.definitions: asks_context asks_secret classified contradiction instruction invisible_text lookalike_name secret_reference shadowing
tool_guard.results: asks_context asks_secret classified credential data_link encoded_instruction false_error hidden_instruction instruction
tool_guard.results: invisible_text terminal_escape
tool_policies: default_decision disable_guards pack require_signed rules!
tool_policies.pack: default_decision description guards! name rules!
transform: response system_prompt_prefix system_prompt_suffix
transform.response: content_prefix content_suffix replacements strip_pii
transform.response.replacements: *
upstreams: http mcp
upstreams.http: allow_private allowed_headers allowed_methods allowed_paths base_url credential max_request_bytes max_response_bytes name
upstreams.http: timeout_ms
upstreams.http.credential: header required scheme
upstreams.mcp: command contained drift forwarded_meta guard inherit max_result_bytes max_result_values max_tools name network overrides portable_names
upstreams.mcp: prefix
upstreams.mcp: roots start_timeout_ms timeout_ms tools transport url
upstreams.mcp.overrides: capability name protocol target tool
`;

type Members = ReadonlyMap<string, { readonly whole: boolean }>;

/** Members of each object, by the object's path. */
const membersAt: ReadonlyMap<string, Members> = parseMembers(shownMembers);

function parseMembers(text: string): Map<string, Map<string, { whole: boolean }>> {
  const objects = new Map<string, Map<string, { whole: boolean }>>();
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [at = '', names = ''] = line.split(': ', 2);
    const members = objects.get(at) ?? new Map<string, { whole: boolean }>();
    for (const name of names.split(' ')) members.set(name.replace(/!$/, ''), { whole: name.endsWith('!') });
    objects.set(at, members);
  }
  return objects;
}

/** Returns the listed part of a value, omitting members that are not listed and objects without listed members. */
export const listedPart = <T extends object>(value: T): Partial<T> => partOf(value, '') as Partial<T>;

function partOf(value: unknown, path: string): unknown {
  if (Array.isArray(value)) return value.map((each) => partOf(each, path)).filter((each) => each !== undefined);
  if (typeof value !== 'object' || value === null) return value;
  const members = membersAt.get(path);
  if (members === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => {
      const at = members.has(name) ? name : members.has('*') ? '*' : undefined;
      if (at === undefined) return [];
      const shown = members.get(at)!.whole ? each : partOf(each, path === '' ? at : `${path}.${at}`);
      return shown === undefined ? [] : [[name, shown]];
    }),
  );
}
