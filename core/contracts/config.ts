/**
 * The configuration: one YAML file, this one schema (contract §1). Types, defaults, validation and the published JSON
 * Schema all come from here. Strict everywhere: a misspelt key is a mistake, never a silent default.
 */
import * as z from 'zod';
import { behaviorSchema } from './behavior.ts';
import { approvals } from './config/approvals.ts';
import { type KeySettings, person, tenant, transform } from './config/callers.ts';
import { contentFilter, type piiEntities } from './config/content-filters.ts';
import { type broker, credentials } from './config/credentials.ts';
import { executors, type sqlDatabase } from './config/executors.ts';
import { identity } from './config/identity.ts';
import { mcpStreams } from './config/mcp-streams.ts';
import { messagesSettings } from './config/messages.ts';
import { type mockScript, modelRoute, provider } from './config/providers.ts';
import { type budget, budgets, cache, prices } from './config/spending.ts';
import { type httpService, type mcpUpstream, upstreams } from './config/upstreams.ts';
import { address, defaultAdminTokenName, seconds, secretName } from './config/words.ts';
import { decisions } from './envelope.ts';
import { sandboxSchema } from './sandbox.ts';
import { type ToolPack, toolPackSchema, toolRuleSchema } from './tool-policy.ts';

export type { ApprovalChannels, GithubChannel } from './config/approvals.ts';
export type { KeySettings } from './config/callers.ts';
export { piiEntities } from './config/content-filters.ts';
export type { OidcCaller, OidcProvider } from './config/identity.ts';
export { defaultAdminTokenName, defaultTicketKeyName, isSecretName } from './config/words.ts';

export const configurationSchema = z
  .strictObject({
    version: z.literal(1),
    server: z
      .strictObject({
        max_body_bytes: z
          .int()
          .positive()
          .default(10 * 1024 * 1024),
        cors: z.strictObject({ allowed_origins: z.array(z.string().min(1)).default([]) }).prefault({}),
        mcp: mcpStreams,
      })
      .prefault({}),
    admin: z
      .strictObject({
        token_env: secretName.default(defaultAdminTokenName),
        requests_per_second: z.int().positive().max(100_000).default(50).meta({
          description:
            'Requests one key may send to the admin surface in a second, all routes together; those of five seconds at once. Each process counts for itself.',
        }),
      })
      .prefault({}),
    people: z.array(person).default([]),
    identity,
    providers: z.array(provider).prefault([{ name: 'mock', type: 'mock', models: ['mock', 'mock-*'] }]),
    routes: z.array(modelRoute).default([]),
    aliases: z.strictObject({ models: z.record(z.string().min(1), z.string().min(1)).default({}) }).prefault({}),
    tenants: z.array(tenant).min(1, 'at least one tenant'),
    transform: transform.prefault({}),
    policies: z
      .strictObject({
        governance_mode: z.enum(['governance', 'permissive']).default('governance'),
        break_glass: z.boolean().default(false),
        input: z.array(contentFilter).default([]),
        output: z.array(contentFilter).default([]),
      })
      .prefault({}),
    messages: messagesSettings,
    tool_policies: z
      .strictObject({
        pack: z
          .union([z.string().min(1), toolPackSchema, z.null()])
          .default('pr-writer')
          .meta({
            description:
              'readonly, pr-writer, infra-review, sql-explorer, a path, or null for none. Stored with its rules.',
          }),
        default_decision: z.enum(decisions).optional(),
        rules: z.array(toolRuleSchema).default([]),
        /** Guards of the pack that are out of force; `status` warns of each. */
        disable_guards: z.array(z.string().min(1)).default([]),
      })
      .prefault({}),
    approvals,
    credentials,
    upstreams: upstreams.prefault({}),
    executors: executors.prefault({}),
    sandbox: sandboxSchema.prefault({}),
    evidence: z
      .strictObject({
        sensitive: z.array(z.string().min(1)).default([]),
        retention_days: z.int().min(30).max(36_500).optional().meta({
          description:
            'Rows of evidence older than this are removed from the table once they equal their archived copies; unset, they stay. Keep it set: without it the sessions that lost rows do not verify.',
        }),
      })
      .prefault({}),
    manifests: z.strictObject({ enforcement_mode: z.enum(['warn', 'enforce']).default('warn') }).prefault({}),
    behavior: behaviorSchema.prefault({}),
    cache,
    budgets,
    prices,
    rollouts: z
      .strictObject({
        stages: z.array(z.number().gt(0).max(100)).min(1).default([5, 25, 50, 100]),
        max_error_rate: z.number().min(0).max(1).default(0.05),
        max_latency_ratio: z.number().positive().default(2),
        min_requests: z.int().nonnegative().default(20),
        stage_seconds: seconds.default(300),
      })
      .prefault({}),
    analytics: z.strictObject({ enabled: z.boolean().default(true) }).prefault({}),
    alerts: z.strictObject({ enabled: z.boolean().default(true) }).prefault({}),
    federation: z
      .strictObject({
        enabled: z.boolean().default(false),
        token_env: secretName.optional(),
        control_plane_url: address.optional(),
        plane: z.string().min(1).optional(),
      })
      .prefault({}),
    telemetry: z
      .strictObject({
        service_name: z.string().min(1).default('agent-governance-gateway'),
        otlp_endpoint: address.optional(),
        otlp_protocol: z.enum(['grpc', 'http']).default('grpc'),
        /** Which names of the GenAI metrics are written (docs/explanation/telemetry). */
        genai_metrics: z.enum(['client', 'inference', 'both']).default('both'),
        sample_rate: z.number().min(0).max(1).default(1),
      })
      .prefault({}),
    evaluation: z
      .strictObject({
        url: address.optional(),
        secret_env: secretName.optional(),
        sample_rate: z.number().min(0).max(1).default(0),
        max_characters: z.int().positive().default(2000),
      })
      .prefault({}),
  })
  .meta({ title: 'agent-governance-gateway configuration' });

/** The file as written, defaults filled in. It may hold plain keys and names its pack. */
export type ConfigurationFile = z.infer<typeof configurationSchema>;

/** A key as it is stored: by digest or by the name of its secret, never plain. */
export type KeyEntry = KeySettings &
  (
    | { readonly key_sha256: string; readonly key_env?: undefined }
    | { readonly key_env: string; readonly key_sha256?: undefined }
  );

export type Tenant = Omit<z.infer<typeof tenant>, 'api_keys'> & { readonly api_keys: readonly KeyEntry[] };

/** The configuration in force and in store: holds no plain key, and its pack's rules with it. */
export type Configuration = Omit<ConfigurationFile, 'tenants' | 'tool_policies'> & {
  readonly tenants: readonly Tenant[];
  readonly tool_policies: Omit<ConfigurationFile['tool_policies'], 'pack'> & { readonly pack: ToolPack | null };
};

export type ContentFilter = z.infer<typeof contentFilter>;
export type PiiEntity = (typeof piiEntities)[number];
export type ModelRoute = z.infer<typeof modelRoute>;
export type Transform = z.infer<typeof transform>;
export type MockScript = z.infer<typeof mockScript>;
export type Budget = z.infer<typeof budget>;
export type Person = z.infer<typeof person>;
export type ProviderEntry = z.infer<typeof provider>;
export type BrokerEntry = z.infer<typeof broker>;
export type McpUpstreamEntry = z.infer<typeof mcpUpstream>;
export type HttpServiceEntry = z.infer<typeof httpService>;
export type ExecutorSettings = z.infer<typeof executors>;
export type SqlDatabaseEntry = z.infer<typeof sqlDatabase>;
