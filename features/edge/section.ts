/** Limits for the local host's edge listeners. */
import * as z from 'zod';

const bucket = (perSecond: number, burst: number) =>
  z
    .strictObject({
      per_second: z
        .number()
        .positive()
        .max(1_000_000)
        .default(perSecond)
        .meta({ description: 'Requests per second, in the long run.' }),
      burst: z
        .int()
        .positive()
        .max(1_000_000)
        .default(burst)
        .meta({ description: 'Requests accepted in a burst after a pause.' }),
    })
    .prefault({});

/** Settings for the local listeners. On AWS, the edge stack has its own settings. */
export const section = {
  edge: z
    .strictObject({
      max_connections: z.int().min(1).max(100_000).default(12_000).meta({
        description:
          'Open connections that count as full load. Requests of normal priority are shed from 90 % of it, those of low priority from 70 %. Beyond it, the connection that has been idle longest is closed.',
      }),
      max_event_loop_delay_ms: z.int().min(1).max(60_000).default(1_000).meta({
        description: 'Delay of the event loop, in milliseconds, that counts as full load.',
      }),
      rate_limit: z
        .strictObject({
          per_address: bucket(2_000, 4_000).meta({ description: 'Requests from one client address.' }),
          per_key: bucket(1_000, 2_000).meta({ description: 'Requests with one API key or token.' }),
        })
        .prefault({})
        .meta({ description: 'Token buckets of the edge; a request without a token gets 429.' }),
    })
    .prefault({})
    .meta({
      description: 'Limits of the edge listeners on this machine; on AWS the edge stack has its own.',
    }),
};

type Section = typeof section;
declare module '#core/contracts/config/sections.ts' {
  interface FeatureSections extends Section {}
}
