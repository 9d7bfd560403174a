/**
 * Schema of the configuration file: the source of types, defaults, validation and the published JSON Schema. Strict, so
 * that a misspelt key is an error. Features add their own sections, which `features/sections.ts` lists.
 */

import * as z from 'zod';
import { behaviorSchema } from './behavior-schema.ts';
import { alerts } from './config/alerts.ts';
import { approvals } from './config/approvals.ts';
import { type KeySettings, person, tenant, transform } from './config/callers.ts';
import { catalogSection } from './config/catalog.ts';
import type { contentFilter, piiEntities } from './config/content-filters.ts';
import { contentPolicies } from './config/content-policies.ts';
import { type broker, credentials } from './config/credentials.ts';
import { evidence } from './config/evidence.ts';
import { executors, type sqlDatabase } from './config/executors.ts';
import { federation } from './config/federation.ts';
import { identity } from './config/identity.ts';
import { chatAddresses, chatCompletionsSettings, messagesSettings } from './config/messages.ts';
import { organization, separationRule } from './config/organizations.ts';
import { type mockScript, modelRoute, provider } from './config/providers.ts';
import { type FeatureSections, sectionsBelow } from './config/sections.ts';
import { type budget, budgets, cache, prices } from './config/spending.ts';
import { admin, server } from './config/surfaces.ts';
import { telemetry } from './config/telemetry.ts';
import { toolGuard } from './config/tool-guard.ts';
import { supplyChain, toolPolicies } from './config/tool-policies.ts';
import { type httpService, type mcpUpstream, upstreams } from './config/upstreams.ts';
import { rolloutDefaultsSchema } from './rollout-schema.ts';
import { sandboxSchema } from './sandbox.ts';
import type { ToolPack } from './tool-policy.ts';

export type { KeySettings } from './config/callers.ts';
export { piiEntities } from './config/content-filters.ts';
export type { OidcCaller, OidcProvider } from './config/identity.ts';

/** Returns the schema with the sections that features add. */
export const configurationSchemaOf = (sections: FeatureSections) =>
  z
    .strictObject({
      version: z.literal(1).meta({ description: 'Format of the file; always 1.' }),
      server: server.meta({ description: 'The HTTP listeners of the gateway.' }),
      admin: admin.meta({ description: 'The admin surface and the token of the platform administrator.' }),
      people: z
        .array(person)
        .default([])
        .meta({ description: 'The humans behind keys, tokens and chat accounts. Only humans vote on approvals.' }),
      identity: identity.meta({
        description: 'Callers that authenticate with a token from an issuer or with IAM credentials.',
      }),
      providers: z
        .array(provider)
        .prefault([{ name: 'mock', type: 'mock', models: ['mock', 'mock-*'] }])
        .meta({ description: 'Model providers that chat calls may be sent to.' }),
      routes: z.array(modelRoute).default([]).meta({
        description:
          'Which providers serve which models. The first entry that matches the model applies; if none matches, every enabled provider that lists the model.',
      }),
      aliases: z
        .strictObject({
          models: z.record(z.string().min(1), z.string().min(1)).default({}).meta({
            description: 'Alias to model name. An alias is resolved before routes, limits and prices are looked up.',
          }),
        })
        .prefault({})
        .meta({ description: 'Other names of models.' }),
      tenants: z
        .array(tenant)
        .min(1, 'at least one tenant')
        .meta({ description: 'Tenants with their keys and limits.' }),
      transform: transform
        .prefault({})
        .meta({ description: 'Changes to chat requests and responses of all tenants. A tenant may have its own.' }),
      policies: contentPolicies.meta({ description: 'Filters on the text of chat calls.' }),
      chat_completions: chatCompletionsSettings.meta({ description: 'Features that chat completions calls may use.' }),
      chat_addresses: chatAddresses,
      messages: messagesSettings.meta({ description: 'Features that calls to the messages endpoint may use.' }),
      tool_policies: toolPolicies.meta({ description: 'Which tool calls are allowed, reviewed or blocked.' }),
      tool_guard: toolGuard,
      supply_chain: supplyChain.meta({ description: 'Whose signatures on packs and WASM filters count.' }),
      approvals: approvals(sectionsBelow(sections, 'approvals.channels.')).meta({
        description: 'How approvals are requested, and how long they are valid.',
      }),
      credentials: credentials.meta({
        description: 'Short-lived credentials for allowed calls, and capability tickets.',
      }),
      upstreams: upstreams.prefault({}).meta({ description: 'MCP servers and HTTP services behind the gateway.' }),
      executors: executors.prefault({}).meta({
        description:
          'Executors of allowed actions of the protocols git, sql and shell. Nothing runs unless it is configured here.',
      }),
      sandbox: sandboxSchema.prefault({}).meta({
        description:
          'Limits on what a call would do, whatever the tool policy says. A list that is absent sets no limit; an empty allow-list allows nothing.',
      }),
      evidence: evidence(sectionsBelow(sections, 'evidence.')).meta({
        description: 'What evidence leaves out, and how long it is kept.',
      }),
      catalog: catalogSection.prefault({}).meta({ description: 'What this deployment adds to the catalog of facts.' }),
      behavior: behaviorSchema
        .prefault({})
        .meta({ description: 'Risk scores of sessions and keys, and the score at which they are blocked.' }),
      cache: cache.meta({ description: 'Responses that are reused for the same request.' }),
      budgets: budgets.meta({
        description: 'What may be spent on models. A call that would exceed a budget is refused with 429.',
      }),
      prices: prices.meta({ description: 'Prices of models, used to calculate costs.' }),
      rollouts: rolloutDefaultsSchema.prefault({}).meta({ description: 'Defaults of provider rollouts.' }),
      analytics: z
        .strictObject({
          enabled: z.boolean().default(true).meta({ description: 'Whether data points are collected.' }),
        })
        .prefault({})
        .meta({ description: 'Data points about traffic, recorded per minute.' }),
      alerts: alerts.meta({
        description: 'Alerts on traffic, budgets, approvals and evidence, evaluated every minute.',
      }),
      organizations: z.array(organization).default([]).meta({
        description: 'Organisations with their teams, projects and environments. A tenant belongs to one environment.',
      }),
      separation_rules: z.array(separationRule).default([]).meta({
        description:
          'How many people must approve, and which, depending on the place in the organisations. Every rule that applies must be satisfied.',
      }),
      federation: federation.meta({ description: 'A control plane with data planes.' }),
      telemetry: telemetry.meta({ description: 'Traces and metrics.' }),
      ...sectionsBelow(sections, ''),
    })
    .meta({ title: 'agent-governance-gateway configuration' });

export type ConfigurationSchema = ReturnType<typeof configurationSchemaOf>;

/** Configuration file with defaults filled in. It may contain plain keys, and it refers to its pack by name. */
export type ConfigurationFile = z.infer<ConfigurationSchema>;

/** Stored key: its digest or the name of its secret, but never the plain key. */
export type KeyEntry = KeySettings &
  (
    | { readonly key_sha256: string; readonly key_env?: undefined }
    | { readonly key_env: string; readonly key_sha256?: undefined }
  );

export type Tenant = Omit<z.infer<typeof tenant>, 'api_keys'> & { readonly api_keys: readonly KeyEntry[] };

/** Configuration as stored and enforced: without plain keys, and including the rules of its pack. */
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
