/** Alert thresholds [alert.thresholds]. */
import * as z from 'zod';
import { seconds } from './words.ts';

export const alerts = z
  .strictObject({
    enabled: z.boolean().default(true).meta({ description: 'Whether alerts are evaluated.' }),
    error_rate: z.number().min(0).max(1).default(0.2).meta({
      description: 'Share of failed calls in five minutes, 0 to 1, above which an alert is opened.',
    }),
    p95_latency_ms: z.number().positive().max(86_400_000).default(5000).meta({
      description: 'Milliseconds that 95 % of the calls in five minutes do not exceed, above which an alert is opened.',
    }),
    requests_per_minute: z
      .number()
      .positive()
      .max(1_000_000_000)
      .default(10_000)
      .meta({ description: 'Requests in a minute above which an alert is opened.' }),
    usd_per_minute: z
      .number()
      .positive()
      .max(1_000_000_000)
      .default(50)
      .meta({ description: 'US dollars spent in a minute above which an alert is opened.' }),
    sigmas: z.number().min(1).max(20).default(3).meta({
      description:
        "Standard deviations above the previous day's mean at which the last five minutes count as an anomaly, 1 to 20.",
    }),
    oldest_pending_seconds: seconds
      .default(900)
      .meta({ description: 'Seconds that an approval may be pending before an alert is opened.' }),
    rejected_credentials_per_minute: z.int().positive().default(30).meta({
      description: 'Requests in a minute with an unknown credential, above which an alert is opened.',
    }),
  })
  .prefault({});
