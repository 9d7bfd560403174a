/**
 * Messages between the control plane and data planes [federation.document] [federation.status] [federation.metrics].
 */
import * as z from 'zod';

/** Document format. Data planes refuse any other. */
export const federationFormat = 'agent-governance/federation-config/1';

const hash = z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256 in lower-case hex');
const planeName = z.string().min(1).max(64);
const instanceId = z.string().regex(/^[0-9a-f]{16,64}$/, '16 to 64 hex digits');
const count = z.int().nonnegative();

/** The signed part of a document. `digest` binds the configuration. */
export interface DocumentHead {
  readonly format: typeof federationFormat;
  /** The data plane that the document is for. */
  readonly plane: string;
  /** The control plane's policy version. */
  readonly version: number;
  /** SHA-256 of the canonical configuration. */
  readonly digest: string;
  readonly issued_at: string;
  readonly expires_at: string;
}

export const federationDocumentSchema = z.strictObject({
  format: z.literal(federationFormat),
  plane: planeName,
  version: z.int().positive(),
  digest: hash,
  issued_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  configuration: z.record(z.string(), z.unknown()),
  public_key: z
    .string()
    .max(4_096)
    .meta({ description: 'PEM of the key that signed; a data plane compares its digest with trusted_keys.' }),
  signature: z.strictObject({ alg: z.literal('ECDSA_P256_SHA256'), key_id: z.string(), value: z.string().max(1_024) }),
});
export type FederationDocument = z.infer<typeof federationDocumentSchema>;

const evidenceHead = z.strictObject({
  tenant: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'the id of a tenant'),
  session_id: z.string().regex(/^[A-Za-z0-9._:-]{1,128}$/, 'the id of a session'),
  total_entries: count.meta({ description: '0 if the plane has no entry of the session.' }),
  last_hash: z.string().regex(/^(?:[0-9a-f]{64})?$/, 'a SHA-256 in lower-case hex, empty if there is no entry'),
  at: z
    .strictObject({ index: count, hash })
    .optional()
    .meta({ description: 'The hash of the chain at the position that the control plane asked for.' }),
  broken: z
    .strictObject({ index: count, reason: z.string().max(500) })
    .optional()
    .meta({ description: 'The first broken link that the plane itself finds.' }),
});
export type EvidenceHead = z.infer<typeof evidenceHead>;

/** Maximum number of heads in one report. */
export const maxHeads = 2_000;

export const planeStatusSchema = z.strictObject({
  plane: planeName.optional().meta({ description: 'Must be the plane that the token belongs to.' }),
  instance: instanceId
    .optional()
    .meta({ description: 'Id of the reporting process, which distinguishes two gateways of the same name.' }),
  interval_seconds: z
    .int()
    .min(1)
    .max(3_600)
    .optional()
    .meta({ description: 'Seconds between two reports; 10 if absent.' }),
  sent_at: z.iso.datetime().optional().meta({ description: 'By the clock of the plane.' }),
  version: count.meta({ description: 'Version of the control plane that the plane enforces; 0 before the first.' }),
  healthy: z.boolean(),
  refused: z.string().max(1_000).optional().meta({ description: 'Why the plane refused the last document.' }),
  requests: count,
  error_rate: z.number().min(0).max(1),
  pending_approvals: count,
  evidence_heads: z.array(evidenceHead).max(maxHeads),
});
export type PlaneStatus = z.infer<typeof planeStatusSchema>;

/** Chain point that the control plane wants to compare. Without `index`, any head will do. */
export interface WantedHead {
  readonly tenant: string;
  readonly session_id: string;
  readonly index: number;
}

/** Maximum number of sums per minute. A latency sketch has at most 915 bins. */
const maxMeasures = 1_500;
/** Maximum number of minutes per request. */
export const maxMinutes = 500;

export const planeMetricsSchema = z.strictObject({
  plane: planeName.optional().meta({ description: 'Must be the plane that the token belongs to.' }),
  instance: instanceId.optional(),
  minutes: z
    .array(
      z.strictObject({
        at: z.iso.datetime().meta({ description: 'The minute; seconds are truncated.' }),
        measures: z
          .record(
            z.string().regex(/^[a-z_]{1,32}(:[A-Za-z0-9_.-]{1,64})?$/, 'a name such as requests or ms:120'),
            z.number().nonnegative(),
          )
          .refine((measures) => Object.keys(measures).length <= maxMeasures, `at most ${maxMeasures} sums`)
          .meta({
            description:
              'Sums of the minute so far: requests, errors, input_tokens, output_tokens, cost_microusd, blocked, reviewed, other_model, ms:<bin>.',
          }),
      }),
    )
    .max(maxMinutes)
    .meta({ description: 'A minute that is sent again replaces what was sent before.' }),
});
export type PlaneMetrics = z.infer<typeof planeMetricsSchema>;

/** First point at which a chain differs from the one reported earlier. */
export interface Divergence {
  readonly tenant: string;
  readonly session_id: string;
  readonly index: number;
  /** cut: entries are missing; fork: the entry differs; broken: the plane's own verification fails. */
  readonly kind: 'cut' | 'fork' | 'broken';
  readonly expected_hash?: string;
  readonly found_hash?: string;
  readonly reason?: string;
  readonly found_at: string;
}

/** The control plane's record of a data plane. */
export interface PlaneRow {
  readonly plane: string;
  /** Incremented by each write, which must state the revision it read. */
  readonly revision: number;
  readonly instance?: string;
  readonly seen_at: string;
  readonly interval_seconds: number;
  /** Difference between the plane's clock and the control plane's when the report arrived. */
  readonly skew_seconds?: number;
  readonly version: number;
  readonly healthy: boolean;
  readonly refused?: string;
  readonly requests: number;
  readonly error_rate: number;
  readonly pending_approvals: number;
  readonly divergence?: Divergence;
  /**
   * Time at which a person accepted the current chains. The next report then replaces the heads that differed before.
   */
  readonly accepted_at?: string;
  /** Number of chains that differ. */
  readonly divergences: number;
  /** Another gateway that reported under the same name during the same period. */
  readonly conflict?: { readonly instance: string; readonly at: string };
  /** Position from which the check of known heads continues. */
  readonly walk?: string;
}

/** Head of a chain as the plane last reported it. */
export interface KnownHead {
  readonly tenant: string;
  readonly session_id: string;
  readonly total_entries: number;
  readonly last_hash: string;
  readonly seen_at: string;
  /** Time at which the chain was found to differ. The head keeps the last value from before that time. */
  readonly diverged_at?: string;
}

export const planeStates = ['never_seen', 'ok', 'silent', 'unhealthy', 'conflict', 'diverged'] as const;
export type PlaneState = (typeof planeStates)[number];
