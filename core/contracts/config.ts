/**
 * The configuration: one YAML file, this one schema (contract §1). Types, defaults, validation and the published JSON
 * Schema all come from here. Strict everywhere: a misspelt key is a mistake, never a silent default.
 */
import * as z from 'zod';
import { decisions } from './envelope.ts';
import { keyKinds, roles } from './routes.ts';
import { type ToolPack, toolPackSchema, toolRuleSchema } from './tool-policy.ts';

const word = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'allowed: letters, digits, ".", "_" and "-", at most 64');
const glob = z.string().min(1);
const seconds = z.int().positive();
const usd = z.number().nonnegative();

/**
 * Names the gateway's own process lives by. Without this fence whoever may edit the configuration could have the
 * gateway send its cloud credentials to an address of their choice.
 */
const ownEnvironment =
  /^(AWS_|LAMBDA_|NODE_|NPM_|LD_|DYLD_|BASH_|GIT_|SSH_|TABLE_|SECRET_|POWERTOOLS_|KUBERNETES_|(PATH|HOME|USER|SHELL|PWD|TMPDIR|LANG|TZ|HOSTNAME)$)/;
const environmentPattern = /^[A-Z][A-Z0-9_]{0,127}$/;

/** Whether a secret may be read under this environment name. */
export const isSecretName = (name: string): boolean => environmentPattern.test(name) && !ownEnvironment.test(name);

/** The name of an environment variable or secret; never the secret. */
const secretName = z
  .string()
  .regex(environmentPattern, 'the name of an environment variable: [A-Z][A-Z0-9_]*')
  .refine(isSecretName, 'a name of your own, outside AWS_*, NODE_*, LD_*, PATH and the like')
  .meta({ description: 'Name of the environment variable (or secret) that holds the value.' });

const address = z.url({ protocol: /^https?$/, error: 'an http(s) URL' }).refine((text) => {
  const url = URL.parse(text);
  return url !== null && url.username === '' && url.password === '';
}, 'a URL without user name and password');

/** Where the administrator's token is looked for unless the configuration says otherwise. */
export const defaultAdminTokenName = 'GATEWAY_ADMIN_TOKEN';

const person = z.strictObject({
  id: word,
  name: z.string().optional(),
  role: z.enum(roles).default('viewer'),
  tenants: z.array(z.string().min(1)).min(1).default(['*']),
  /** `<team>/<user>`, as Slack names them. */
  slack_id: z
    .string()
    .regex(/^[A-Z0-9]+\/[A-Z0-9]+$/, 'a Slack identity "<team>/<user>", e.g. "T01/U01"')
    .optional(),
  github_login: z.string().min(1).optional(),
});

const keyFields = {
  role: z.enum(roles).default('operator'),
  kind: z.enum(keyKinds).default('agent'),
  /** The human behind a human key. */
  person: z.string().optional(),
  /** The human who answers for an agent's or service's key. */
  owner: z.string().optional(),
  name: z.string().min(1).max(64).optional(),
  priority: z.enum(['normal', 'critical']).default('normal'),
  /** May change global things. */
  platform: z.boolean().default(false),
};

const plainKey = z
  .string()
  .min(1, 'a key of at least one character')
  .regex(/^[\x21-\x7e]*$/, 'a key of visible ASCII characters, as HTTP headers carry them');

const keyEntry = z.strictObject({
  key: plainKey.optional(),
  key_env: secretName.optional(),
  /** Lower-case hex SHA-256 of the key: how keys are stored. */
  key_sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'a SHA-256 in lower-case hex')
    .optional(),
  ...keyFields,
});

const transform = z.strictObject({
  system_prompt_prefix: z.string().optional(),
  system_prompt_suffix: z.string().optional(),
  response: z
    .strictObject({
      strip_pii: z.boolean().default(false),
      content_prefix: z.string().optional(),
      content_suffix: z.string().optional(),
      replacements: z.record(z.string(), z.string()).optional(),
    })
    .optional(),
});

const tenant = z.strictObject({
  id: word,
  name: z.string().optional(),
  api_keys: z
    .array(z.union([plainKey, keyEntry]))
    .min(1, 'at least one API key')
    .meta({
      description: 'A plain string is an operator key of an agent without owner.',
    }),
  rate_limit: z
    .strictObject({
      requests_per_minute: z.int().nonnegative().optional(),
      tokens_per_minute: z.int().nonnegative().optional(),
    })
    .optional(),
  allowed_models: z.array(glob).default(['*']),
  max_body_bytes: z.int().positive().optional(),
  system_prompt: z.string().default(''),
  transform: transform.optional(),
});

const provider = z.strictObject({
  name: word,
  type: z.enum(['mock', 'openai', 'anthropic', 'ollama', 'bedrock']),
  enabled: z.boolean().default(true),
  base_url: address.optional(),
  api_key_env: secretName.optional(),
  models: z.array(glob).default([]),
  timeout_ms: z.int().positive().default(60_000),
  latency_ms: z.int().nonnegative().optional(),
  region: z.string().optional(),
  retry: z.strictObject({ max_attempts: z.int().min(1).max(10).default(2) }).optional(),
});

const modelRoute = z.strictObject({
  match: z.strictObject({ model: glob }),
  providers: z.array(z.string().min(1)).min(1).optional(),
  regions: z
    .array(z.strictObject({ name: z.string().min(1), providers: z.array(z.string().min(1)).min(1) }))
    .min(1)
    .optional(),
  strategy: z.enum(['priority', 'round-robin']).default('priority'),
});

const filterActions = ['block', 'review', 'warn', 'log'] as const;
const filterFields = { name: z.string().min(1), action: z.enum(filterActions) };
const contentFilter = z.discriminatedUnion('type', [
  z.strictObject({ ...filterFields, type: z.literal('keyword'), keywords: z.array(z.string().min(1)).min(1) }),
  z.strictObject({ ...filterFields, type: z.literal('regex'), patterns: z.array(z.string().min(1).max(4096)).min(1) }),
  z.strictObject({
    ...filterFields,
    type: z.literal('pii'),
    entities: z.array(z.enum(['email', 'ssn', 'credit_card', 'phone', 'iban', 'ip', 'api_key'])).min(1),
  }),
  z.strictObject({
    name: z.string().min(1),
    type: z.literal('wasm'),
    action: z.enum(['block', 'warn', 'log']),
    path: z.string().min(1),
    timeout: z
      .string()
      .regex(/^[1-9]\d{0,4}(ms|s)$/, 'a duration such as 100ms or 2s')
      .default('100ms'),
    on_error: z.enum(['block', 'allow']).default('block'),
  }),
]);

const channels = z.strictObject({
  slack: z
    .strictObject({
      enabled: z.boolean().default(true),
      channel: z.string().min(1),
      bot_token_env: secretName,
      signing_secret_env: secretName,
      /** Accepted beside the present one while a secret is being rotated. */
      previous_signing_secret_env: secretName.optional(),
      api_url: address.default('https://slack.com/api'),
      /** Base of links in messages, when the admin address is not reachable for reviewers. */
      link_base: address.optional(),
    })
    .optional(),
  github: z
    .strictObject({
      enabled: z.boolean().default(true),
      token_env: secretName,
      webhook_secret_env: secretName,
      api_url: address.default('https://api.github.com'),
    })
    .optional(),
  webhook: z.strictObject({ enabled: z.boolean().default(true), url: address, secret_env: secretName }).optional(),
});

const broker = z.discriminatedUnion('type', [
  z.strictObject({
    name: word,
    type: z.literal('static'),
    secret_env: secretName,
    credential_type: z.string().min(1).default('static'),
  }),
  z.strictObject({
    name: word,
    type: z.literal('scm_app'),
    app_id: z.string().min(1),
    installation_id: z.string().min(1).optional(),
    /** PEM of the RSA key that signs the app's tokens. */
    private_key_env: secretName,
    /** A local run without that variable makes a key of its own, for demonstrations. */
    generated_key: z.boolean().default(false),
    api_url: address.optional(),
  }),
  z.strictObject({
    name: word,
    type: z.literal('sts'),
    role_arn: z.string().regex(/^arn:[a-z-]+:iam::\d{12}:role\/.+$/, 'the ARN of an IAM role'),
    region: z.string().min(1).optional(),
    external_id_env: secretName.optional(),
  }),
  z.strictObject({
    name: word,
    type: z.literal('vault'),
    url: address,
    mount: z.string().min(1).default('database'),
    role: z.string().min(1),
    token_env: secretName,
    namespace: z.string().min(1).optional(),
  }),
  z.strictObject({
    name: word,
    type: z.literal('secrets_manager'),
    secret_id: z.string().min(1),
    region: z.string().min(1).optional(),
  }),
]);

const grant = z.strictObject({
  protocol: glob.default('*'),
  tool: glob,
  broker: z.string().min(1),
  scope: z.string().min(1),
  ttl_seconds: seconds.max(3600).default(600),
});

const upstreams = z.strictObject({
  mcp: z
    .array(
      z.strictObject({
        name: word,
        url: address,
        tools: z.array(glob).min(1),
        transport: z.enum(['streamable-http', 'sse']).default('streamable-http'),
        timeout_ms: z.int().positive().default(30_000),
      }),
    )
    .default([]),
  http: z
    .array(
      z.strictObject({
        name: word,
        base_url: address,
        allowed_paths: z.array(glob).default(['**']),
        timeout_ms: z.int().positive().default(30_000),
      }),
    )
    .default([]),
});

const budget = z.strictObject({ monthly_usd: usd.optional(), daily_usd: usd.optional() });
const modelBudgets = { models: z.record(z.string().min(1), budget).optional() };

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
      })
      .prefault({}),
    admin: z.strictObject({ token_env: secretName.default(defaultAdminTokenName) }).prefault({}),
    people: z.array(person).default([]),
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
    messages: z.strictObject({ tool_use: z.enum(['reject', 'govern']).default('reject') }).prefault({}),
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
      })
      .prefault({}),
    approvals: z
      .strictObject({
        timeout_seconds: seconds.default(1800),
        on_approval: z.enum(['release', 'execute']).default('release'),
        hold_seconds: z.int().min(0).max(50).default(0),
        channels: channels.prefault({}),
      })
      .prefault({}),
    credentials: z
      .strictObject({ brokers: z.array(broker).default([]), grants: z.array(grant).default([]) })
      .prefault({}),
    upstreams: upstreams.prefault({}),
    evidence: z.strictObject({ sensitive: z.array(z.string().min(1)).default([]) }).prefault({}),
    manifests: z.strictObject({ enforcement_mode: z.enum(['warn', 'enforce']).default('warn') }).prefault({}),
    behavior: z
      .strictObject({
        enabled: z.boolean().default(true),
        kill_switch_score: z.number().positive().default(80),
        window_minutes: z.int().positive().default(30),
      })
      .prefault({}),
    cache: z
      .strictObject({
        enabled: z.boolean().default(true),
        ttl_seconds: seconds.default(300),
        max_entries: z.int().positive().default(1000),
        semantic: z
          .strictObject({
            enabled: z.boolean().default(false),
            threshold: z.number().min(0).max(1).default(0.92),
            embedder: z.string().min(1).optional(),
          })
          .prefault({}),
      })
      .prefault({}),
    budgets: z
      .strictObject({
        global: z.strictObject({ ...budget.shape, ...modelBudgets }).optional(),
        tenants: z.record(z.string().min(1), z.strictObject({ ...budget.shape, ...modelBudgets })).default({}),
      })
      .prefault({}),
    prices: z
      .strictObject({
        file: z.string().min(1).optional(),
        unknown_model: z.enum(['refuse', 'estimate']).default('refuse'),
      })
      .prefault({}),
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

export type KeySettings = z.infer<z.ZodObject<typeof keyFields>>;

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

export type Person = z.infer<typeof person>;
export type ProviderEntry = z.infer<typeof provider>;
export type BrokerEntry = z.infer<typeof broker>;
export type GrantEntry = z.infer<typeof grant>;
export type ApprovalChannels = z.infer<typeof channels>;
export type SlackChannel = NonNullable<ApprovalChannels['slack']>;
export type WebhookChannel = NonNullable<ApprovalChannels['webhook']>;
