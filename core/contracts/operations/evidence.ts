/** Sessions, exports, verification, reports and the audit log. */
import * as z from 'zod';
import { evidenceEntrySchema, sessionBundleSchema, signingKeysSchema } from '../evidence.ts';
import { comparedKinds } from '../in-force.ts';
import { count, counts, cursor, microusd, type OperationContract, sha256Hex, time } from './operation.ts';

const brokenLink = { index: z.int(), reason: z.string() };
const verification = z.strictObject({
  session_id: z.string(),
  entries: z
    .array(z.looseObject({ index: z.int() }))
    .optional()
    .meta({ description: 'With entries=true: a line for each entry.' }),
  valid: z.boolean(),
  total_entries: count,
  session_manifest_hash: sha256Hex.optional(),
  broken_link: z.strictObject(brokenLink).optional(),
  checkpoint: z.strictObject({ index: count, created_at: time, key_id: z.string() }).optional(),
  passkey_votes: count
    .optional()
    .meta({ description: 'Votes whose passkey was verified with the public key in the chain.' }),
  archived_entries: count.optional(),
  expired_entries: count.optional(),
  not_checked: z.array(z.string()),
});
const verifiedAudit = z.strictObject({
  valid: z.boolean(),
  total_entries: count,
  sessions: count,
  broken_link: z.strictObject({ session_id: z.string(), ...brokenLink }).optional(),
  not_checked: z.array(z.string()),
  complete: z.boolean(),
  cursor,
});

const unreadableRow = z.strictObject({ tenant: z.string(), session_id: z.string(), index: z.number() }).meta({
  description:
    'A row of evidence between these entries that cannot be read. `audit verify` shows where its chain breaks.',
});

export const evidence = {
  listSessions: {
    output: z.strictObject({
      sessions: z.array(
        z.strictObject({
          tenant: z.string(),
          session_id: z.string(),
          owner_key: z.string().optional(),
          total_entries: count,
          first_hash: sha256Hex,
          last_hash: sha256Hex,
          counts,
          policy_versions: z.array(count),
          opened_at: time,
          updated_at: time,
          risk: z.strictObject({ score: z.number(), rule: z.string() }).optional(),
          spent_microusd: microusd.optional(),
        }),
      ),
      cursor,
    }),
  },
  exportSession: { output: sessionBundleSchema },
  verifySession: { output: verification },
  markdownReport: { output: { text: 'text/markdown' } },
  htmlReport: { output: { text: 'text/html' } },
  signingKeys: { output: signingKeysSchema },
  logCheckpoint: {
    output: z.strictObject({
      log_key: z.string().meta({ description: 'Verifier key of the log; pin one that was got elsewhere.' }),
      former_log_keys: z
        .array(z.string())
        .optional()
        .meta({ description: 'Verifier keys before it, newest first; the first of them signs beside it for a while.' }),
      checkpoint: z.string().meta({ description: 'Signed note.' }),
      cosigned: z.array(z.strictObject({ witness: z.string(), size: count, note: z.string() })),
    }),
  },
  logConsistency: { output: z.strictObject({ from: count, to: count, proof: z.array(z.string()) }) },
  logTile: { output: z.strictObject({ path: z.string(), bytes: z.string().meta({ description: 'Base64.' }) }) },
  addCosignature: {
    input: z.strictObject({ note: z.string().max(16_384).meta({ description: 'The cosigned checkpoint.' }) }),
    output: z.strictObject({ witness: z.string(), size: count, at: time }),
    status: 201,
  },
  audit: {
    output: z.strictObject({
      entries: z.array(evidenceEntrySchema),
      unreadable: z.array(unreadableRow).optional(),
      cursor,
    }),
  },
  verifyAudit: { output: verifiedAudit },
  compareInForce: {
    output: z.strictObject({
      agrees: z.boolean(),
      policy_version: count,
      compared: counts,
      differences: z.array(
        z.strictObject({
          of: z.enum(comparedKinds),
          what: z
            .string()
            .meta({ description: 'Which version, key, account, session, definition, sheet, ticket or credential.' }),
          in_force: z.string(),
          evidence: z.string(),
        }),
      ),
      not_checked: z.array(z.string()),
    }),
  },
} satisfies Record<string, OperationContract>;
