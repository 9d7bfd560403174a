/** The GraphQL operation (GraphQL over HTTP) and related operations. */
import * as z from 'zod';
import { graphqlRequestSchema } from '../admin-requests.ts';
import { artifactKinds, moduleUpload, pluginAct, pluginActs, recordedActs } from '../plugin-act.ts';
import { count, type OperationContract, sha256Hex, subject, time, usd } from './operation.ts';

const limit = count.nullable().meta({ description: 'Null where the configuration sets none.' });

export const graphql = {
  graphql: {
    input: graphqlRequestSchema,
    output: z.strictObject({
      data: z.record(z.string(), z.unknown()).nullable(),
      errors: z.array(z.looseObject({ message: z.string() })).optional(),
    }),
  },
  costRecommendations: {
    output: z.strictObject({
      ...subject,
      recommendations: z.array(
        z.strictObject({
          kind: z.enum(['cheaper_model', 'cache_potential', 'repeated_request']),
          message: z.string(),
          saving_usd: usd,
          figures: z.record(z.string(), z.union([z.string(), z.number()])),
          tenant: z
            .string()
            .optional()
            .meta({ description: 'With path: whose requests repeat; absent for models, which are added up.' }),
        }),
      ),
    }),
  },
  budgetsForecast: {
    output: z.strictObject({
      ...subject,
      forecasts: z.array(
        z.strictObject({
          account: z.string(),
          scope: z.enum(['tenant', 'global', 'model', 'key']),
          scope_id: z.string(),
          key_name: z.string().optional(),
          period: z.enum(['day', 'month']),
          limit_usd: usd,
          spent_usd: usd,
          days_observed: count.meta({ description: 'Days of spend it rests on; below three there is no forecast.' }),
          projected_usd: usd.nullable(),
          low_usd: usd.nullable().meta({ description: 'Lower end of the 80 % interval.' }),
          high_usd: usd.nullable().meta({ description: 'Upper end of the 80 % interval.' }),
          will_exceed: z.boolean().nullable(),
          exhausted_at: z
            .string()
            .nullable()
            .meta({ description: 'The day on which the limit is expected to be reached.' }),
          tenant: z
            .string()
            .optional()
            .meta({ description: 'With path: whose budget it is; absent for one that all tenants share.' }),
        }),
      ),
    }),
  },
  supplyChain: {
    output: z.strictObject({
      policy_version: count,
      require_signed: z.boolean(),
      parts: z.array(
        z.strictObject({
          kind: z.enum(artifactKinds),
          name: z.string(),
          sha256: sha256Hex.nullable(),
          verified: z.boolean(),
          signed_as: z.string().optional().meta({ description: 'Name and version in the signed index.' }),
          signer: z.string().optional().meta({ description: 'Key id of the publisher.' }),
          reason: z.string().optional().meta({ description: 'Why it is not verified.' }),
        }),
      ),
      acts: z
        .array(
          z.strictObject({
            at: time,
            by: z.string().meta({ description: 'Person, or id of the key, that reported it.' }),
            act: z.enum(recordedActs),
            name: z.string(),
            version: z.string().optional(),
            kind: z.string().optional(),
            sha256: z.string().optional(),
            size: count.optional().meta({ description: 'Of an uploaded module, in bytes.' }),
            signer: z.string().optional().meta({ description: 'Key id of the publisher.' }),
            reason: z.string().optional().meta({ description: 'Why it was refused.' }),
            message: z.string().optional(),
            done_at: z.string().optional().meta({ description: 'When it was done, where it was reported later.' }),
            evidence_hash: sha256Hex,
          }),
        )
        .meta({ description: 'Installs, removals and refusals of plugins in the last week, newest first.' }),
    }),
  },
  putModule: {
    input: moduleUpload,
    status: 201,
    output: z.strictObject({ sha256: sha256Hex, size: count, evidence_hash: sha256Hex }),
  },
  recordPluginAct: {
    input: pluginAct,
    status: 201,
    output: z.strictObject({ act: z.enum(pluginActs), name: z.string(), evidence_hash: sha256Hex }),
  },
  listTenants: {
    output: z.strictObject({
      tenants: z.array(
        z.strictObject({
          id: z.string(),
          name: z.string(),
          keys: count,
          requests_per_minute: limit,
          tokens_per_minute: limit,
          allowed_models: z.array(z.string()),
          max_body_bytes: limit,
        }),
      ),
    }),
  },
} satisfies Record<string, OperationContract>;
