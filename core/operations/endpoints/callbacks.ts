/** Votes by Slack and by pull-request comments. */
import * as z from 'zod';
import { operation } from '../endpoint.ts';

const envelope_id = '01a20b5c-5a8f-7620-af71-1eeef105195a';
/** Sent by Slack when a person clicks a button of a request. */
const slackClick = {
  type: 'block_actions',
  team: { id: 'T01' },
  user: { id: 'U01', username: 'alice' },
  trigger_id: '13345224609.738474920.8088930838d88f008e0',
  response_url: 'https://hooks.slack.com/actions/T01/1/x',
  actions: [{ type: 'button', action_id: 'approve', value: envelope_id, action_ts: '1548426417.840180' }],
};
const alice = { login: 'alice', type: 'User' };

export const callbacks = {
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
  }),
  githubCallback: operation({
    route: 'POST /callbacks/github',
    function: 'approval-callback',
    role: 'signed',
    summary: 'Votes by pull-request comment',
    also: { status: 202, description: 'The delivery contains no command, so nothing was decided.' },
    input: () => z.looseObject({}).meta({ description: 'As GitHub sends it.' }),
    example: {
      action: 'created',
      issue: { number: 7, pull_request: {} },
      comment: { id: 1, body: `/approve ${envelope_id}`, user: alice },
      repository: { full_name: 'acme/web' },
      sender: alice,
    },
    output: () => z.strictObject({ text: z.string().meta({ description: 'What became of the vote, in words.' }) }),
    answer: { text: 'scm.create_pull_request: approved by alice.' },
  }),
};
