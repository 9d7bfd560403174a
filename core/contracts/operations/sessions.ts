/** Session risk, task manifests, credentials and capability tickets. */
import * as z from 'zod';
import { redeemSchema, releaseSchema } from '../admin-requests.ts';
import { riskRules } from '../behavior.ts';
import { driftKinds } from '../drift.ts';
import { taskManifestSchema } from '../task-manifest.ts';
import { count, counts, cursor, type OperationContract, sha256Hex, time } from './operation.ts';

const alert = z.strictObject({
  rule: z.enum(riskRules),
  points: z.number(),
  at: time,
  cites: z.array(z.unknown()).meta({ description: 'The entries it rests on.' }),
});
const score = {
  score: z.number(),
  rule: z.string().optional(),
  tripped: z.boolean(),
  alerts: z.array(alert),
  remembered: counts,
};

const { request: _request, ...declared } = taskManifestSchema.shape;
const manifest = z.strictObject({
  ...declared,
  id: z.string(),
  tenant: z.string(),
  expires_at: time,
  created_at: time,
  created_by: z.string(),
});
const evidenceHash = { evidence_hash: sha256Hex };

const credential = z.strictObject({
  id: z.string(),
  tenant: z.string(),
  session_id: z.string(),
  envelope_id: z.string(),
  broker: z.string(),
  type: z.string(),
  scope: z.string(),
  degraded: z.boolean(),
  issued_at: time,
  expires_at: time,
  revoked_at: time.optional(),
  note: z.string().optional(),
  issuer_expires_at: time.optional(),
  lease_id: z.string().optional(),
  version_id: z.string().optional(),
  policy_digest: z.string().optional(),
  ticket_sha256: sha256Hex.optional(),
  revoke_due: time.optional(),
});
const ticket = z.strictObject({
  id: z.string(),
  tenant: z.string(),
  session_id: z.string(),
  envelope_id: z.string(),
  approval_id: z.string().optional(),
  resource: z.string(),
  tool: z.string(),
  capability: z.string(),
  policy_version: count,
  nonce: z.string(),
  key_id: z.string(),
  issued_at: time,
  expires_at: time,
  used_at: time.optional(),
  revoked_at: time.optional(),
});

export const sessions = {
  sessionRisk: {
    output: z.strictObject({
      session_id: z.string(),
      enabled: z.boolean(),
      ...score,
      blocked: z.boolean(),
      matched_rule: z.string().optional(),
      reason: z.string().optional(),
      kill_switch_score: z.number(),
      window_minutes: count,
      key: z.strictObject({ key_id: z.string(), ...score }).optional(),
      replay: z
        .strictObject({ score: z.number(), agrees: z.boolean(), total_alerts: count, alerts: z.array(alert) })
        .optional()
        .meta({ description: 'With replay=true: the score worked out from the evidence alone.' }),
    }),
  },
  releaseSession: {
    input: releaseSchema,
    output: z.strictObject({
      session_id: z.string(),
      released: z.literal(true),
      matched_rule: z.string(),
      score: z.number(),
      ...evidenceHash,
    }),
  },
  listManifests: { output: z.strictObject({ manifests: z.array(manifest), cursor }) },
  createManifest: {
    input: taskManifestSchema,
    status: 201,
    output: z.strictObject({ ...manifest.shape, ...evidenceHash }),
  },
  getManifest: { output: manifest },
  deleteManifest: { output: z.strictObject({ ...manifest.shape, deleted_at: time, ...evidenceHash }) },
  manifestDrift: {
    output: z.strictObject({
      manifest_id: z.string(),
      enforcement_mode: z.enum(['warn', 'review', 'enforce']),
      drift: z.boolean(),
      total_drifted: count,
      sessions: z.array(
        z.strictObject({
          session_id: z.string(),
          entries: count,
          actions: count,
          drifted: z.array(
            z.strictObject({
              index: count,
              timestamp: time,
              envelope_id: z.string(),
              decision: z.string(),
              tool: z.string(),
              target: z.string(),
              drift: z.array(
                z.strictObject({
                  manifest_id: z.string(),
                  kind: z.enum(driftKinds),
                  found: z.string(),
                  allowed: z.string(),
                }),
              ),
            }),
          ),
          total_drifted: count,
          partly_checked: count,
          complete: z.boolean(),
        }),
      ),
    }),
  },
  listCredentials: { output: z.strictObject({ credentials: z.array(credential), cursor }) },
  revokeCredential: { output: credential },
  listTickets: { output: z.strictObject({ tickets: z.array(ticket), cursor }) },
  redeemTicket: {
    input: redeemSchema,
    output: ticket
      .pick({ id: true, envelope_id: true, approval_id: true, tool: true, resource: true, capability: true })
      .extend({ policy_version: count, expires_at: time }),
  },
  revokeTicket: { output: ticket },
} satisfies Record<string, OperationContract>;
