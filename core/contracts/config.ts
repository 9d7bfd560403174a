/**
 * The configuration: one YAML file, this one schema (contract §1). Types, defaults, validation and the published JSON
 * Schema all come from here. Strict everywhere: a misspelt key is a mistake, never a silent default.
 */
import * as z from 'zod';
import { behaviorSchema } from './behavior.ts';
import { decisions } from './envelope.ts';
import { priceTableSchema } from './prices.ts';
import { parsePullRequest } from './repository.ts';
import { keyKinds, roles } from './routes.ts';
import { sandboxSchema } from './sandbox.ts';
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

/** Where the key of capability tickets is looked for unless the configuration says otherwise. */
export const defaultTicketKeyName = 'GATEWAY_TICKET_KEY';

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

/** What a mock provider answers; the first entry whose `contains` stands in the last user message counts. */
const mockScript = z.strictObject({
  replies: z
    .array(
      z.strictObject({
        contains: z.string().default(''),
        text: z.string().optional(),
        tool_calls: z.array(z.strictObject({ name: z.string().min(1), arguments: z.json() })).optional(),
        /** HTTP status of a failure. */
        status: z.int().min(400).max(599).optional(),
        /** Ends the stream after that many chunks, without an end. */
        break_after: z.int().nonnegative().optional(),
        latency_ms: z.int().nonnegative().optional(),
      }),
    )
    .default([]),
  /** Pace of streams; without it chunks follow each other at once. */
  tokens_per_second: z.number().positive().optional(),
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
  /** Trips at `error_rate` of the last `window_seconds`, once there were `min_requests`; tries again after `open_seconds`. */
  breaker: z
    .strictObject({
      min_requests: z.int().positive().default(10),
      error_rate: z.number().gt(0).max(1).default(0.5),
      window_seconds: seconds.default(30),
      open_seconds: seconds.default(15),
    })
    .prefault({}),
  /** Scripted behaviour of a mock provider. */
  script: mockScript.optional(),
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
export const piiEntities = ['email', 'ssn', 'credit_card', 'phone', 'iban', 'ip', 'api_key'] as const;
const filterFields = { name: z.string().min(1), action: z.enum(filterActions) };
const contentFilter = z.discriminatedUnion('type', [
  z.strictObject({ ...filterFields, type: z.literal('keyword'), keywords: z.array(z.string().min(1)).min(1) }),
  z.strictObject({ ...filterFields, type: z.literal('regex'), patterns: z.array(z.string().min(1).max(4096)).min(1) }),
  z.strictObject({
    ...filterFields,
    type: z.literal('pii'),
    /** `redact` replaces what was found and lets the rest pass. */
    action: z.enum([...filterActions, 'redact']),
    entities: z.array(z.enum(piiEntities)).min(1),
  }),
  z.strictObject({
    name: z.string().min(1),
    type: z.literal('wasm'),
    action: z.enum(['block', 'warn', 'log']),
    path: z.string().min(1),
    /** Of the module's bytes, as stored with the configuration; written by hand it pins them. */
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'a SHA-256 in lower-case hex')
      .optional(),
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
      /** Accepted beside the present one while a secret is being rotated. */
      previous_webhook_secret_env: secretName.optional(),
      /** Globs of `owner/name`: what is about a pull request of theirs is asked for on it. Agents choose targets. */
      repositories: z.array(glob).default([]),
      /** The pull request on which all else is asked for. */
      pull_request: z
        .string()
        .refine((text) => parsePullRequest(text) !== undefined, 'a pull request "<owner>/<name>#<number>"')
        .optional(),
      api_url: address.default('https://api.github.com'),
      /** Base of links in comments, when the admin address is not reachable for reviewers. */
      link_base: address.optional(),
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
  /** Capability tickets of the gateway's own; `credentials.tickets` has their key and longest life. */
  z.strictObject({ name: word, type: z.literal('ticket') }),
]);

const grant = z.strictObject({
  protocol: glob.default('*'),
  tool: glob,
  broker: z.string().min(1),
  scope: z.string().min(1),
  ttl_seconds: seconds.max(3600).default(600),
});

/** What a tool is to the policy, where its name and arguments do not say it. The first entry whose `tool` matches counts. */
const mcpOverride = z.strictObject({
  /** The tool's name at its upstream. */
  tool: glob,
  /** Its name for policies. */
  name: z.string().min(1).max(256).optional(),
  protocol: z.string().min(1).max(64).optional(),
  capability: z.enum(['read', 'write', 'execute', 'delete']).optional(),
  /** Arguments whose values, joined by "/", are the target. */
  target: z.array(z.string().min(1)).min(1).optional(),
});

/** An MCP server behind the gateway. */
const mcpUpstream = z
  .strictObject({
    name: word.refine((name) => !name.includes('__'), 'a name without "__", which parts upstream from tool'),
    url: address.optional(),
    /** Tools it serves, by their own names. */
    tools: z.array(glob).min(1).default(['**']),
    transport: z.enum(['streamable-http', 'sse', 'stdio']).default('streamable-http'),
    /** Program and arguments of a stdio server: no shell reads them. */
    command: z.array(z.string().min(1)).min(1).optional(),
    /** Environment variables a stdio server is given besides PATH, HOME and the like. */
    env: z.array(secretName).default([]),
    /** Sent as a bearer token with every call that has no minted credential of its own. */
    token_env: secretName.optional(),
    timeout_ms: z.int().positive().default(30_000),
    /** Results above it are refused. */
    max_result_bytes: z
      .int()
      .positive()
      .max(64 * 1024 * 1024)
      .default(4 * 1024 * 1024),
    /** Tools are named `<prefix>__<tool>`; without it only where upstreams collide, by their names. */
    prefix: word.refine((name) => !name.includes('__'), 'a prefix without "__"').optional(),
    /** What a changed definition of a tool does: a warning, or no call until a human accepts it. */
    drift: z.enum(['warn', 'block']).default('warn'),
    overrides: z.array(mcpOverride).default([]),
  })
  .refine(({ transport, url }) => transport === 'stdio' || url !== undefined, {
    path: ['url'],
    error: 'a URL, unless transport is stdio',
  })
  .refine(({ transport, command }) => (transport === 'stdio') === (command !== undefined), {
    path: ['command'],
    error: 'program and arguments with transport stdio, nothing otherwise',
  });

const kibibyte = 1024;
const longestExecutionMs = 900_000;
const executionMs = z.int().positive().max(longestExecutionMs);
const bytes = z
  .int()
  .positive()
  .max(4 * kibibyte * kibibyte);

/** A header a service may be asked with; those that say who asks, or where, are the gateway's own. */
const callerHeader = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'a header name in lower case')
  .refine(
    (name) =>
      !/^(?:authorization|cookie|host|connection|te|trailer|upgrade|expect|content-length|transfer-encoding|via|forwarded|x-forwarded-.*|x-real-ip|proxy-.*|sec-.*|.*method-override|x-http-method)$/.test(
        name,
      ),
    'a header that names neither caller, host, route nor method',
  );

/** An HTTP service that actions of protocol `http` may call; what is not named here is called by nobody. */
const httpService = z.strictObject({
  name: word,
  base_url: address,
  /** Of the path behind `base_url`. */
  allowed_paths: z.array(glob).default(['**']),
  allowed_methods: z
    .array(z.enum(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']))
    .min(1)
    .default(['GET']),
  /** Headers a caller may set besides accept, content-type, conditions and the idempotency key. */
  allowed_headers: z.array(callerHeader).default([]),
  /** Whether it may stand in a private network or on this machine. Link-local addresses stay refused. */
  allow_private: z.boolean().default(false),
  /** How the minted credential travels. */
  credential: z
    .strictObject({
      header: z
        .string()
        .regex(/^[A-Za-z0-9-]{1,64}$/, 'a header name')
        .default('authorization'),
      /** Stands before the secret; `Basic` encodes user name and password, empty sends the secret alone. */
      scheme: z
        .string()
        .regex(/^[A-Za-z0-9-]{0,32}$/, 'a word such as Bearer, or nothing')
        .default('Bearer'),
      /** Without a credential nothing is sent. */
      required: z.boolean().default(false),
    })
    .prefault({}),
  timeout_ms: executionMs.default(30_000),
  max_request_bytes: bytes.default(kibibyte * kibibyte),
  /** What is longer is cut off, and said to be. */
  max_response_bytes: bytes.default(kibibyte * kibibyte),
});

const upstreams = z.strictObject({
  mcp: z.array(mcpUpstream).default([]),
  http: z.array(httpService).default([]),
});

/** A database that actions of protocol `sql` may reach: PostgreSQL by its address, or Aurora by the RDS Data API. */
const sqlDatabase = z
  .strictObject({
    name: word,
    /** Secret with a whole connection URL; its user counts where no credential was minted. */
    url_env: secretName.optional(),
    host: z.string().min(1).max(253).optional(),
    port: z.int().min(1).max(65_535).default(5432),
    /** The database at the server. */
    database: z.string().min(1).max(63).optional(),
    /** `verify` checks certificate and host name. */
    tls: z.enum(['verify', 'off']).default('verify'),
    /** Secret with the PEM of the authority that signed the server's certificate. */
    ca_env: secretName.optional(),
    resource_arn: z
      .string()
      .regex(/^arn:aws[a-z-]*:rds:[a-z0-9-]+:\d{12}:cluster:.+$/, 'the ARN of an Aurora cluster')
      .optional(),
    secret_arn: z
      .string()
      .regex(/^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:.+$/, 'the ARN of a secret')
      .optional(),
    statement_timeout_ms: executionMs.default(30_000),
  })
  .refine(
    ({ url_env, host, resource_arn }) => [url_env, host, resource_arn].filter((at) => at !== undefined).length === 1,
    {
      error: 'exactly one of url_env, host and resource_arn',
    },
  )
  .refine(({ resource_arn, secret_arn }) => (resource_arn === undefined) === (secret_arn === undefined), {
    path: ['secret_arn'],
    error: 'resource_arn and secret_arn together',
  })
  .refine(({ url_env, database }) => url_env !== undefined || database !== undefined, {
    path: ['database'],
    error: 'the name of the database at the server',
  });

const keptFromPrograms = /^(?:AWS_|GATEWAY_|LAMBDA_|LD_|DYLD_|NODE_|BASH_|PATH$|ENV$|IFS$|_HANDLER$)/;

/** What carries out allowed actions. Nothing runs unless it is configured. */
const executors = z.strictObject({
  git: z
    .strictObject({
      enabled: z.boolean().default(false),
      /** Absent: the one of the Git-host broker, else https://api.github.com. */
      api_url: address.optional(),
      allow_private: z.boolean().default(false),
      timeout_ms: executionMs.default(30_000),
      max_response_bytes: bytes.default(kibibyte * kibibyte),
    })
    .prefault({}),
  sql: z
    .strictObject({
      databases: z.array(sqlDatabase).default([]),
      /** What is beyond is left out, and said to be. */
      max_rows: z.int().positive().max(100_000).default(1000),
      max_result_bytes: bytes.default(kibibyte * kibibyte),
    })
    .prefault({}),
  shell: z
    .strictObject({
      enabled: z.boolean().default(false),
      /** Names of programs, without folder. */
      allowed_binaries: z
        .array(z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,63}$/, 'the name of a program, without folder'))
        .default([]),
      /** Programs run in it or below it. Needed locally; on AWS each command has an empty folder of its own. */
      working_directory: z.string().startsWith('/', 'an absolute path').optional(),
      timeout_ms: executionMs.default(30_000),
      /** Of each of the two outputs. */
      max_output_bytes: bytes.default(256 * kibibyte),
      max_processes: z.int().positive().max(4096).default(64),
      /** Names of environment variables that programs are given. */
      env: z
        .array(
          z
            .string()
            .regex(environmentPattern, 'the name of an environment variable: [A-Z][A-Z0-9_]*')
            .refine(
              (name) => !keptFromPrograms.test(name),
              'a name outside AWS_*, GATEWAY_*, LD_*, NODE_*, PATH and the like',
            ),
        )
        .default([]),
    })
    .prefault({}),
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
      .strictObject({
        brokers: z.array(broker).default([]),
        grants: z.array(grant).default([]),
        /** Keys and life of capability tickets. */
        tickets: z
          .strictObject({
            /** Absent: `GATEWAY_TICKET_KEY`. */
            key_env: secretName.optional(),
            /** Accepted beside the present one while a key is being rotated. */
            previous_key_env: secretName.optional(),
            ttl_seconds: seconds.max(3600).default(120),
          })
          .prefault({}),
      })
      .prefault({}),
    upstreams: upstreams.prefault({}),
    executors: executors.prefault({}),
    sandbox: sandboxSchema.prefault({}),
    evidence: z.strictObject({ sensitive: z.array(z.string().min(1)).default([]) }).prefault({}),
    manifests: z.strictObject({ enforcement_mode: z.enum(['warn', 'enforce']).default('warn') }).prefault({}),
    behavior: behaviorSchema.prefault({}),
    cache: z
      .strictObject({
        enabled: z.boolean().default(true),
        ttl_seconds: seconds.default(300),
        max_entries: z.int().positive().default(1000),
        semantic: z
          .strictObject({
            enabled: z.boolean().default(false),
            threshold: z.number().min(0).max(1).default(0.92),
            /** Name of a provider of type openai or bedrock; none = character n-grams, computed here. */
            embedder: z.string().min(1).optional(),
            embedding_model: z.string().min(1).optional(),
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
        file: z.string().min(1).default('config/prices.yaml'),
        /** A model without a price: refused where a budget applies, or charged at the dearest price known. */
        unknown_model: z.enum(['refuse', 'estimate']).default('estimate'),
        /** The file's content, as stored with the configuration. */
        table: priceTableSchema.optional(),
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

export type ContentFilter = z.infer<typeof contentFilter>;
export type PiiEntity = (typeof piiEntities)[number];
export type ModelRoute = z.infer<typeof modelRoute>;
export type Transform = z.infer<typeof transform>;
export type MockScript = z.infer<typeof mockScript>;
export type Budget = z.infer<typeof budget>;
export type Person = z.infer<typeof person>;
export type ProviderEntry = z.infer<typeof provider>;
export type BrokerEntry = z.infer<typeof broker>;
export type GrantEntry = z.infer<typeof grant>;
export type McpUpstreamEntry = z.infer<typeof mcpUpstream>;
export type HttpServiceEntry = z.infer<typeof httpService>;
export type ExecutorSettings = z.infer<typeof executors>;
export type SqlDatabaseEntry = z.infer<typeof sqlDatabase>;
export type ApprovalChannels = z.infer<typeof channels>;
export type SlackChannel = NonNullable<ApprovalChannels['slack']>;
export type GithubChannel = NonNullable<ApprovalChannels['github']>;
export type WebhookChannel = NonNullable<ApprovalChannels['webhook']>;
