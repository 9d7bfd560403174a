/** Alerts in responses. */
import * as z from 'zod';
import { time } from './parts.ts';

export const alertSchema = z.strictObject({
  id: z.string(),
  severity: z.enum(['critical', 'warning', 'info']),
  type: z.enum(['static_threshold', 'statistical_baseline', 'budget', 'approval', 'evidence', 'system']),
  /** `global`, an analytics dimension (`tenant:<id>`, `model:<name>`, `provider:<name>`), or `session:<id>`. */
  dimension: z.string(),
  metric: z.string(),
  /** The last measured value, which is compared with `threshold`. */
  value: z.number(),
  threshold: z.number(),
  message: z.string(),
  state: z.enum(['active', 'acknowledged', 'resolved']),
  created_at: time,
  acknowledged_by: z.string().optional(),
  acknowledged_at: time.optional(),
  resolved_at: time.optional(),
  /** Facts that support the alert, such as the session of a broken chain or a baseline's mean and deviation. */
  evidence: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
});
