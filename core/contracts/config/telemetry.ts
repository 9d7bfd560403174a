/** Export of traces and metrics. */
import * as z from 'zod';
import { address } from './words.ts';

export const telemetry = z
  .strictObject({
    service_name: z
      .string()
      .min(1)
      .default('agent-governance-gateway')
      .meta({ description: 'Value of service.name in traces and metrics.' }),
    otlp_endpoint: address.optional().meta({
      description:
        'Address of the OTLP receiver, to which batches are sent every 5 seconds. If absent, nothing is exported.',
    }),
    otlp_protocol: z.enum(['grpc', 'http']).default('grpc').meta({ description: 'Protocol of the OTLP receiver.' }),
    genai_metrics: z.enum(['client', 'inference', 'both']).default('both').meta({
      description:
        'Which names of the OpenTelemetry GenAI metrics are written: those of clients, of inference servers, or both.',
    }),
    sample_rate: z.number().min(0).max(1).default(1).meta({
      description:
        'Share of traces that are exported, 0 to 1. Of traces that begin here, those that failed or were slow are exported in any case.',
    }),
    slow_ms: z
      .int()
      .min(1)
      .max(3_600_000)
      .default(10_000)
      .meta({ description: 'Milliseconds from which a trace counts as slow.' }),
  })
  .prefault({});
