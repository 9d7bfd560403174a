/** Slack: messages about approvals and alerts, with buttons for voting. Its page is docs/how-to/approve-from-slack.md. */
import * as z from 'zod';
import { operation } from '#core/operations/endpoint.ts';
import type { Feature } from '../feature.ts';

const envelope_id = '01a20b5c-5a8f-7620-af71-1eeef105195a';
/** Interaction that Slack sends when a person clicks a button on a request. */
const slackClick = {
  type: 'block_actions',
  team: { id: 'T01' },
  user: { id: 'U01', username: 'alice' },
  trigger_id: '13345224609.738474920.8088930838d88f008e0',
  response_url: 'https://hooks.slack.com/actions/T01/1/x',
  actions: [{ type: 'button', action_id: 'approve', value: envelope_id, action_ts: '1548426417.840180' }],
};

export const feature = {
  operations: {
    slackCallback: operation({
      route: 'POST /callbacks/slack',
      function: 'approval-callback',
      role: 'signed',
      summary: 'Votes by Slack button',
      inputType: 'application/x-www-form-urlencoded',
      input: () => z.looseObject({}).meta({ description: 'As Slack sends it.' }),
      example: { payload: JSON.stringify(slackClick) },
      output: { text: 'text/plain' },
      answer: '',
      callback: async () => (await import('#features/slack/callback.ts')).slackCallback,
    }),
  },
  rights: { 'approval-callback': { secrets: ['slack'] }, notify: { secrets: ['slack'] } },
  channels: { slack: () => import('./client.ts') },
} satisfies Feature;
