/** Alerts: responses of the list and of acknowledgements. */
import * as z from 'zod';
import { alertSeverities, alertStates, alertTypes } from '../alert.ts';
import { count, type OperationContract, time } from './operation.ts';

const alert = z.strictObject({
  id: z.string(),
  severity: z.enum(alertSeverities),
  type: z.enum(alertTypes),
  dimension: z.string(),
  metric: z.string(),
  value: z.number(),
  threshold: z.number(),
  message: z.string(),
  state: z.enum(alertStates),
  created_at: time,
  acknowledged_by: z.string().optional(),
  acknowledged_at: time.optional(),
  resolved_at: time.optional(),
  evidence: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
});

export const alerts = {
  listAlerts: {
    output: z.strictObject({
      alerts: z.array(alert).meta({ description: 'Newest first, at most 500.' }),
      total: count.meta({ description: 'How many there are in this state, shown or not.' }),
    }),
  },
  acknowledgeAlert: { output: alert },
} satisfies Record<string, OperationContract>;
