/**
 * The configuration: one YAML file, this one schema. Types, defaults, validation and the published JSON
 * Schema all come from here. Strict everywhere: a misspelt key is a mistake, never a silent default.
 */
import * as z from 'zod';
import { behaviorSchema } from './behavior.ts';
import { alerts } from './config/alerts.ts';
import { approvals } from './config/approvals.ts';
import { type KeySettings, person, tenant, transform } from './config/callers.ts';
import { contentFilter, type piiEntities } from './config/content-filters.ts';
import { type broker, credentials } from './config/credentials.ts';
import { edge } from './config/edge.ts';
import { executors, type sqlDatabase } from './config/executors.ts';
import { federation } from './config/federation.ts';
import { identity } from './config/identity.ts';
import { mcpStreams } from './config/mcp-streams.ts';
import { messagesSettings } from './config/messages.ts';
import { organization, separationRule } from './config/organizations.ts';
import { type mockScript, modelRoute, provider } from './config/providers.ts';
import { type budget, budgets, cache, prices } from './config/spending.ts';
import { toolGuard } from './config/tool-guard.ts';
import { type httpService, type mcpUpstream, upstreams } from './config/upstreams.ts';
import { address, defaultAdminTokenName, secretName } from './config/words.ts';
import { decisions } from './envelope.ts';
import { rolloutDefaultsSchema } from './rollout.ts';
import { sandboxSchema } from './sandbox.ts';
import { type ToolPack, toolPackSchema, toolRuleSchema } from './tool-policy.ts';

export type { ApprovalChannels, GithubChannel } from './config/approvals.ts';
export type { KeySettings } from './config/callers.ts';
export { piiEntities } from './config/content-filters.ts';
export type { OidcCaller, OidcProvider } from './config/identity.ts';
export { defaultAdminTokenName, defaultTicketKeyName, isSecretName } from './config/words.ts';

export const configurationSchema = z
  .strictObject({
    version: z.literal(1).meta({ description: 'Format of the file; always 1.' }),
    server: z
      .strictObject({
        max_body_bytes: z
          .int()
          .positive()
          .default(10 * 1024 * 1024)
          .meta({
            description:
              'Largest request body in bytes; larger ones are refused with 413. A tenant may have a lower limit.',
          }),
        cors: z
          .strictObject({
            allowed_origins: z
              .array(z.string().min(1))
              .default([])
              .meta({ description: 'Origins such as https://app.example.com. Without any, browsers are refused.' }),
          })
          .prefault({})
          .meta({ description: 'Which web pages may call the gateway and MCP surfaces.' }),
        mcp: mcpStreams.meta({ description: 'Event streams that MCP clients keep open.' }),
      })
      .prefault({})
      .meta({ description: 'The HTTP listeners of the gateway.' }),
    admin: z
      .strictObject({
        token_env: secretName.default(defaultAdminTokenName).meta({
          description:
            'Environment variable (or secret) with the token of the platform administrator. Without a value there is no such token.',
        }),
        requests_per_second: z.int().positive().max(100_000).default(50).meta({
          description:
            'Requests one key may send to the admin surface in a second, all routes together; those of five seconds at once. Each process counts for itself.',
        }),
      })
      .prefault({})
      .meta({ description: 'The admin surface and the token of the platform administrator.' }),
    edge: edge.meta({
      description: 'Limits of the edge listeners on this machine; on AWS the edge stack has its own.',
    }),
    people: z
      .array(person)
      .default([])
      .meta({ description: 'The humans behind keys, tokens and chat accounts. Only humans vote on approvals.' }),
    identity: identity.meta({
      description: 'Callers that prove who they are by a token of an issuer or by IAM credentials.',
    }),
    providers: z
      .array(provider)
      .prefault([{ name: 'mock', type: 'mock', models: ['mock', 'mock-*'] }])
      .meta({ description: 'Model providers that chat calls may be sent to.' }),
    routes: z.array(modelRoute).default([]).meta({
      description:
        'Which providers answer which models. The first entry that matches the model counts; without one, every enabled provider that lists the model.',
    }),
    aliases: z
      .strictObject({
        models: z.record(z.string().min(1), z.string().min(1)).default({}).meta({
          description: 'Alias to model name. An alias is resolved before routes, limits and prices are looked up.',
        }),
      })
      .prefault({})
      .meta({ description: 'Other names of models.' }),
    tenants: z.array(tenant).min(1, 'at least one tenant').meta({ description: 'Tenants with their keys and limits.' }),
    transform: transform
      .prefault({})
      .meta({ description: 'Changes to chat requests and responses of all tenants. A tenant may have its own.' }),
    policies: z
      .strictObject({
        governance_mode: z.enum(['governance', 'permissive']).default('governance').meta({
          description:
            'What happens when a filter fails: governance blocks the call, permissive logs the failure and lets the call pass.',
        }),
        break_glass: z
          .boolean()
          .default(false)
          .meta({ description: 'Treats every tenant as permissive. Each call is marked in evidence while it is on.' }),
        input: z
          .array(contentFilter)
          .default([])
          .meta({ description: 'Filters on requests, in this order. A block ends the call with 403.' }),
        output: z
          .array(contentFilter)
          .default([])
          .meta({ description: 'Filters on responses and streams, in this order.' }),
      })
      .prefault({})
      .meta({ description: 'Filters on the texts of chat calls.' }),
    messages: messagesSettings.meta({ description: 'What calls of the messages endpoint may use.' }),
    tool_policies: z
      .strictObject({
        pack: z
          .union([z.string().min(1), toolPackSchema, z.null()])
          .default('pr-writer')
          .meta({
            description:
              'readonly, pr-writer, coding-agent, infra-review, sql-explorer, provenance, a path, or null for none. Stored with its rules.',
          }),
        default_decision: z
          .enum(decisions)
          .optional()
          .meta({ description: 'Decision for calls that no rule matches. Overrides the one of the pack.' }),
        rules: z.array(toolRuleSchema).default([]).meta({
          description:
            'Rules of this deployment, evaluated before those of the pack. The first rule that matches counts.',
        }),
        disable_guards: z
          .array(z.string().min(1))
          .default([])
          .meta({ description: 'Names of guards of the pack that do not apply. Each is reported as a warning.' }),
        require_signed: z.boolean().default(false).meta({
          description:
            'Whether a pack and WASM filters are refused unless a publisher signed them under supply_chain.root_key, the packs that ship with the gateway included.',
        }),
      })
      .prefault({})
      .meta({ description: 'Which tool calls are allowed, reviewed or blocked.' }),
    tool_guard: toolGuard,
    provenance: z
      .strictObject({
        retention_hours: z.int().min(1).max(720).default(24).meta({
          description:
            'How many hours what a session has seen is remembered as digests, for rules on sources (1 to 720). Older results count as a gap.',
        }),
      })
      .prefault({})
      .meta({ description: 'What rules on sources (source, source_not, source_some) know of a session.' }),
    supply_chain: z
      .strictObject({
        root_key: z
          .string()
          .startsWith('-----BEGIN PUBLIC KEY-----', 'a public key in PEM form')
          .optional()
          .meta({ description: 'Root key that signs the index of plugins, in PEM form (Ed25519 or ECDSA P-256).' }),
        index: z
          .looseObject({})
          .optional()
          .meta({ description: 'The index file with its signatures, as agentctl supply-chain trust prints it.' }),
      })
      .prefault({})
      .meta({ description: 'Whose signatures on packs and WASM filters count.' }),
    approvals: approvals.meta({ description: 'How approvals are requested, and how long they are valid.' }),
    credentials: credentials.meta({
      description: 'Short-lived credentials for allowed calls, and capability tickets.',
    }),
    upstreams: upstreams.prefault({}).meta({ description: 'MCP servers and HTTP services behind the gateway.' }),
    executors: executors.prefault({}).meta({
      description:
        'What carries out allowed actions of protocols git, sql and shell. Nothing runs unless it is configured here.',
    }),
    sandbox: sandboxSchema.prefault({}).meta({
      description:
        'Limits on what a call would do, whatever the tool policy says. A list that is absent sets no limit; an empty allow-list allows nothing.',
    }),
    evidence: z
      .strictObject({
        sensitive: z.array(z.string().min(1)).default([]).meta({
          description: 'JSON paths such as $.parameters.password whose values are replaced by salted digests.',
        }),
        log: z
          .strictObject({
            enabled: z.boolean().default(true).meta({
              description:
                'Whether the gateway on this machine appends where sessions stand to the transparency log of their tenant. On AWS the deployment says so (transparencyLog).',
            }),
            witnesses: z.array(z.string().max(300)).max(16).default([]).meta({
              description:
                'Verifier keys of the witnesses whose cosignatures the gateway accepts, such as name+1a2b3c4d+BF…: 0 to 16, each of the cosignature type.',
            }),
          })
          .prefault({})
          .meta({ description: 'The transparency log, and who witnesses it.' }),
        retention_days: z.int().min(30).max(36_500).optional().meta({
          description:
            'Rows of evidence older than this are removed from the table once they equal their archived copies; unset, they stay. Keep it set: without it the sessions that lost rows do not verify.',
        }),
      })
      .prefault({})
      .meta({ description: 'What evidence leaves out, and how long it is kept.' }),
    manifests: z
      .strictObject({
        enforcement_mode: z.enum(['warn', 'review', 'enforce']).default('warn').meta({
          description:
            'What a call outside the declared task does: warn records it, review asks a human once for each tool, resource or recipient outside, enforce blocks it.',
        }),
        first_request: z.enum(['off', 'narrow']).default('off').meta({
          description:
            'Whether the first request of a session is a task sheet: narrow limits recipients, and resources where it names some, to those in the prompt of the first call that has one. It adds to what is declared and allows nothing.',
        }),
      })
      .prefault({})
      .meta({ description: 'Task manifests: what a session has declared to do.' }),
    behavior: behaviorSchema
      .prefault({})
      .meta({ description: 'Risk scores of sessions and keys, and the score at which they are blocked.' }),
    cache: cache.meta({ description: 'Responses that are reused for the same request.' }),
    budgets: budgets.meta({
      description: 'What may be spent on models. A call that would exceed a budget is refused with 429.',
    }),
    prices: prices.meta({ description: 'Prices of models, by which costs are counted.' }),
    rollouts: rolloutDefaultsSchema.prefault({}).meta({ description: 'Defaults of provider rollouts.' }),
    analytics: z
      .strictObject({ enabled: z.boolean().default(true).meta({ description: 'Whether points are collected.' }) })
      .prefault({})
      .meta({ description: 'Points per minute about traffic.' }),
    alerts: alerts.meta({ description: 'Alerts on traffic, budgets, approvals and evidence, evaluated every minute.' }),
    organizations: z.array(organization).default([]).meta({
      description: 'Organisations with their teams, projects and environments. A tenant belongs to one environment.',
    }),
    separation_rules: z.array(separationRule).default([]).meta({
      description:
        'How many people decide, and who, by place in the organisations. Every rule that applies must be satisfied.',
    }),
    federation: federation.meta({ description: 'A control plane with data planes.' }),
    telemetry: z
      .strictObject({
        service_name: z
          .string()
          .min(1)
          .default('agent-governance-gateway')
          .meta({ description: 'Value of service.name in traces and metrics.' }),
        otlp_endpoint: address.optional().meta({
          description:
            'Address of the OTLP receiver, which is sent batches every 5 seconds. Without it nothing is exported.',
        }),
        otlp_protocol: z.enum(['grpc', 'http']).default('grpc').meta({ description: 'Protocol of the OTLP receiver.' }),
        genai_metrics: z.enum(['client', 'inference', 'both']).default('both').meta({
          description:
            'Which names of the OpenTelemetry GenAI metrics are written: those of clients, of inference servers, or both.',
        }),
        sample_rate: z.number().min(0).max(1).default(1).meta({
          description:
            'Share of traces that are exported, 0 to 1. Of traces that begin here, those that failed or were slow are exported in any case.',
        }),
        slow_ms: z
          .number()
          .int()
          .min(1)
          .max(3_600_000)
          .default(10_000)
          .meta({ description: 'Milliseconds from which a trace counts as slow.' }),
      })
      .prefault({})
      .meta({ description: 'Traces and metrics.' }),
    evaluation: z
      .strictObject({
        url: address.optional().meta({ description: 'Address of the webhook. Without it nothing is sent.' }),
        secret_env: secretName
          .optional()
          .meta({ description: 'Environment variable (or secret) with the key that signs the webhook.' }),
        sample_rate: z.number().min(0).max(1).default(0).meta({ description: 'Share of calls that are sent, 0 to 1.' }),
        max_characters: z.int().positive().max(20_000).default(2000).meta({
          description: 'Characters (code points) of prompt and of response that are sent; the rest is cut off.',
        }),
      })
      .prefault({})
      .meta({ description: 'Webhook that is sent a share of prompts and responses for evaluation.' }),
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
