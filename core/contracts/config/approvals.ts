/** Approval settings: channels, time limits and reuse. */
import * as z from 'zod';
import type { SectionsBelow } from './sections.ts';
import { address, seconds, secretName } from './words.ts';

const webhook = z
  .strictObject({
    enabled: z.boolean().default(true).meta({ description: 'Whether the channel is used.' }),
    url: address.meta({ description: 'Address to which the messages are sent.' }),
    secret_env: secretName.meta({
      description: 'Environment variable (or secret) with the key that signs the messages.',
    }),
    policy_events: z
      .array(z.enum(['policy_violation', 'policy_warning']))
      .default(['policy_violation', 'policy_warning'])
      .meta({
        description:
          'Events in addition to approvals and alerts: blocked calls and warnings of content filters. One message per rule and minute.',
      }),
  })
  .optional()
  .meta({ description: 'Signed JSON messages to an address of your own.' });

/** Response to a chat call that needs approval. */
export const chatReview = z.enum(['status_202', 'error_409', 'hold']);

type Channels = SectionsBelow<'approvals.channels.'>;
type ChannelName = keyof Channels | 'webhook';

/** Returns the section. @param channels those of features */
export const approvals = (channels: Channels) =>
  z
    .strictObject({
      timeout_seconds: seconds
        .default(1800)
        .meta({ description: 'Seconds until a pending approval expires and counts as denied.' }),
      denial_lifetime: z
        .union([z.literal('session'), seconds], "'session' or a number of seconds")
        .default('session')
        .meta({
          description:
            "How long a person's denial also applies to identical calls in the same session, in seconds; session: for as long as the session is used, and 10 minutes on later connections of the same MCP client.",
        }),
      on_approval: z.enum(['release', 'execute']).default('release').meta({
        description:
          'What happens after an approval: release waits for the caller to retry, execute carries out the call immediately. Chat calls are always released.',
      }),
      hold_seconds: z
        .int()
        .min(0)
        .max(50)
        .default(0)
        .meta({ description: 'Seconds for which a call that needs approval is held before it is answered.' }),
      chat_review: chatReview.default('status_202').meta({
        description:
          "How a chat call that needs approval is answered. status_202: 202 with the approval. error_409: an error with the approval's address, which client libraries throw. hold: the call waits up to hold_seconds, a stream with keep-alives, and then fails as with error_409.",
      }),
      max_pending_per_key: z.int().positive().max(10_000).default(100).meta({
        description: 'Requests of one key that may wait for a person; additional ones are refused with 429.',
      }),
      max_pending_per_tenant: z.int().positive().max(10_000).default(1_000).meta({
        description:
          'Requests of all keys of a tenant together that may wait for a person; additional ones are refused with 429.',
      }),
      escalate_to: z
        .array(z.enum([...Object.keys(channels), 'webhook'] as ChannelName[]))
        .default([])
        .meta({
          description:
            'Channels that are notified only if a request is still pending after half of its time, instead of immediately. Each must be enabled under channels.',
        }),
      digest: z
        .strictObject({
          channels: z
            .array(z.enum(['slack', 'webhook']))
            .default(['slack'])
            .meta({
              description: 'Channels that receive a digest; with an empty list, every request is announced separately.',
            }),
          above: z.int().min(0).max(10_000).default(20).meta({
            description:
              'Requests of a tenant that may be pending before additional ones are announced in a digest. Requests with high risk or with little time left are always announced separately.',
          }),
          every_seconds: z.int().min(10).max(3_600).default(60).meta({
            description: 'Seconds for which requests are collected into one digest.',
          }),
        })
        .prefault({})
        .meta({ description: 'One message for many pending requests.' }),
      channels: z
        .strictObject({ ...channels, webhook })
        .prefault({})
        .meta({ description: 'Where reviewers are notified.' }),
    })
    .prefault({});
