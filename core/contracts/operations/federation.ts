/** Inputs and outputs of the federation operations. */
import * as z from 'zod';
import { federationDocumentSchema, planeMetricsSchema, planeStates, planeStatusSchema } from '../federation.ts';
import { count, type OperationContract, share, time } from './operation.ts';

const divergence = z.strictObject({
  tenant: z.string(),
  session_id: z.string(),
  index: count.meta({ description: 'The first entry that is missing or differs.' }),
  kind: z.enum(['cut', 'fork', 'broken']),
  expected_hash: z.string().optional(),
  found_hash: z.string().optional(),
  reason: z.string().optional(),
  found_at: time,
});

const plane = z.strictObject({
  name: z.string(),
  state: z.enum(planeStates),
  seen_at: time.optional(),
  version: count.optional(),
  behind: z.int().optional().meta({
    description: 'Versions that the plane is behind; below 0 where it has seen a later one than is served.',
  }),
  healthy: z.boolean().optional(),
  refused: z.string().optional().meta({ description: 'Why the plane refused the last document.' }),
  requests: count.optional(),
  error_rate: share.optional(),
  pending_approvals: count.optional(),
  skew_seconds: z.number().optional().meta({ description: "The plane's clock less this one's." }),
  divergence: divergence.optional().meta({ description: 'The first that was found.' }),
  divergences: count.optional(),
  conflict: z.strictObject({ instance: z.string(), at: time }).optional().meta({
    description: 'Another gateway that reported under the same name.',
  }),
});

export const federation = {
  acceptPlane: { output: plane },
  federationConfig: { output: federationDocumentSchema },
  federationPlanes: {
    output: z.strictObject({
      version: count.meta({ description: 'Version that the control plane serves.' }),
      public_key_sha256: z.string().meta({ description: 'For trusted_keys of the data planes.' }),
      planes: z.array(plane),
    }),
  },
  federationStatus: {
    input: planeStatusSchema,
    output: z.strictObject({
      plane: z.string(),
      version: count,
      wanted: z
        .array(z.strictObject({ tenant: z.string(), session_id: z.string(), index: count }))
        .meta({ description: 'Places of chains to send with the next report.' }),
    }),
  },
  federationMetrics: {
    input: planeMetricsSchema,
    output: z.strictObject({
      plane: z.string(),
      accepted: count,
      dropped: count.meta({ description: 'Minutes older than 48 hours, or in the future.' }),
    }),
  },
} satisfies Record<string, OperationContract>;
