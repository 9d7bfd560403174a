/** Session risk. */
import * as z from 'zod';
import { releaseSchema } from '#core/contracts/admin-requests.ts';
import { count, counts, evidenceHash, time, unreadableIndexes } from '#core/contracts/answers/parts.ts';
import { riskRules } from '#core/contracts/behavior.ts';
import { operation } from '../endpoint.ts';

const alert = z.strictObject({
  rule: z.enum(riskRules),
  points: z.number(),
  at: time,
  cites: z.array(z.unknown()).meta({ description: 'The entries it is based on.' }),
});
const score = {
  score: z.number(),
  rule: z.string().optional(),
  tripped: z.boolean(),
  alerts: z.array(alert),
  remembered: counts,
};

export const sessions = {
  sessionRisk: operation({
    route: 'GET /admin/v1/sessions/{id}/risk',
    function: 'policies',
    role: 'operator',
    agents: 'own',
    query: ['replay'],
    summary: 'Risk score and alerts of a session',
    command: {
      words: 'risk show <session>',
      summary: 'Show the risk score and findings of a session; exit code 1 when it is blocked',
      examples: ['risk show s1', 'risk show s1 --replay --json'],
      options: { replay: 'compute the score again from the evidence' },
      isPositive: ({ blocked }) => blocked !== true,
    },
    output: () =>
      z.strictObject({
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
          .strictObject({
            score: z.number(),
            agrees: z.boolean(),
            unreadable: unreadableIndexes,
            total_alerts: count,
            alerts: z.array(alert),
          })
          .optional()
          .meta({ description: 'With replay=true: the score computed only from the evidence.' }),
      }),
    run: async () => (await import('#core/operations/risk.ts')).sessionRisk,
  }),
  releaseSession: operation({
    route: 'POST /admin/v1/sessions/{id}/release',
    function: 'policies',
    role: 'admin',
    humansOnly: true,
    summary: 'Release a blocked session and its key',
    input: () => releaseSchema,
    example: { reason: 'The uploads were a rehearsal.' },
    output: () =>
      z.strictObject({
        session_id: z.string(),
        released: z.literal(true),
        matched_rule: z.string(),
        score: z.number(),
        ...evidenceHash,
      }),
    run: async () => (await import('#core/operations/risk.ts')).releaseSession,
  }),
};
