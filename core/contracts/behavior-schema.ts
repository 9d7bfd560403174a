/** Schema of the configuration's `behavior` section. */
import * as z from 'zod';
import { maxCounted } from './risk-counts.ts';

const points = (usual: number) => z.int().min(0).max(1000).default(usual);
const minutes = (usual: number) => z.int().positive().max(1440).default(usual);
/** Returns the schema of a count threshold. It is bounded, because the rules remember that many items. */
const many = (usual: number, most: number) => z.int().min(2).max(most).default(usual);
export const behaviorSchema = z.strictObject({
  enabled: z.boolean().default(true).meta({ description: 'Whether sessions and keys are scored.' }),
  kill_switch_score: z
    .number()
    .positive()
    .max(1_000_000)
    .default(80)
    .meta({ description: 'Score in points at which a session, or a key, is blocked until a human releases it.' }),
  window_minutes: z
    .int()
    .positive()
    .max(1440)
    .default(30)
    .meta({ description: 'Minutes for which points count and for which the rules remember earlier events.' }),
  known_hosts: z.array(z.string().min(1)).default([]).meta({
    description: 'Hosts to which data may go: api.example.com, *.example.com. Hosts of upstreams.http count as known.',
  }),
  sensitive: z
    .array(z.string().min(1))
    .default([])
    .meta({ description: 'Globs of files and tables that count as sensitive in addition to the built-in ones.' }),
  key_factor: z
    .number()
    .min(1)
    .max(100)
    .default(5)
    .meta({ description: 'How many times the counts of a single session all sessions of a key together may reach.' }),
  exfiltration: z
    .strictObject({
      points: points(50).meta({ description: 'Points for the first time in a session.' }),
      direct_points: points(80).meta({ description: 'Points when a single call both reads and sends.' }),
      further_points: points(15).meta({ description: 'Points for each repetition.' }),
    })
    .prefault({})
    .meta({ description: 'Something sensitive was read, then data was sent out.' }),
  privilege_escalation: z
    .strictObject({
      points: points(30).meta({ description: 'Points for set-uid, sudoers, IAM and CI files.' }),
      light_points: points(10).meta({ description: 'Points for plain sudo and for attempts that were blocked.' }),
    })
    .prefault({})
    .meta({ description: 'Rights were taken.' }),
  credential_abuse: z
    .strictObject({
      points: points(30).meta({ description: 'Points when a count below is reached.' }),
      secrets: many(4, maxCounted.secrets).meta({ description: 'Number of different secrets.' }),
      failures: many(5, maxCounted.failures).meta({ description: 'Number of refused logins.' }),
    })
    .prefault({})
    .meta({
      description:
        'Many secrets were touched or logins refused. A credential used outside its purpose counts immediately.',
    }),
  destructive_sequence: z
    .strictObject({
      points: points(30).meta({ description: 'Points when the count is reached.' }),
      deletes: many(5, maxCounted.deletes).meta({ description: 'Number of deletions.' }),
      minutes: minutes(5).meta({ description: 'Minutes within which deletions are counted.' }),
      after_denial_points: points(20).meta({ description: 'Points for a deletion that follows a denial by a human.' }),
    })
    .prefault({})
    .meta({ description: 'Many deletions in a short time.' }),
  fan_out: z
    .strictObject({
      points: points(20).meta({ description: 'Points when the count is reached.' }),
      places: many(12, maxCounted.places).meta({ description: 'Number of different places.' }),
      minutes: minutes(5).meta({ description: 'Minutes within which places are counted.' }),
    })
    .prefault({})
    .meta({ description: 'Many different hosts, repositories and databases in a short time.' }),
  repeated_escalation: z
    .strictObject({
      points: points(25).meta({ description: 'Points when the number of attempts is reached.' }),
      attempts: many(3, maxCounted.attempts).meta({ description: 'Number of refused attempts that differ.' }),
      review_points: points(10).meta({ description: 'Points when the number of reviews is reached.' }),
      reviews: many(20, maxCounted.reviews).meta({
        description: 'Number of different calls that waited for a human while none was approved.',
      }),
      probe_points: points(10).meta({ description: 'Points when the number of probes is reached.' }),
      probes: z
        .int()
        .min(2)
        .max(10_000)
        .default(200)
        .meta({ description: 'Number of dry runs and simulations that were not allowed.' }),
    })
    .prefault({})
    .meta({
      description:
        'Refused attempts of one class that differ, different calls that wait for a human, and dry runs that were not allowed.',
    }),
});
