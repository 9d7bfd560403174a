/**
 * Approvals on pull requests: the gateway requests them in a comment and accepts votes as comments. Its documentation
 * page is docs/how-to/approve-from-a-pull-request.md.
 */
import * as z from 'zod';
import { operation } from '#core/operations/endpoint.ts';
import type { Feature } from '../feature.ts';

const envelope_id = '01a20b5c-5a8f-7620-af71-1eeef105195a';
const alice = { login: 'alice', type: 'User' };

export const feature = {
  operations: {
    githubCallback: operation({
      route: 'POST /callbacks/github',
      function: 'approval-callback',
      role: 'signed',
      summary: 'Votes by pull-request comment',
      // Git hosts include the whole pull request with every comment.
      maxBodyBytes: 1024 * 1024,
      also: { status: 202, description: 'The delivery contains no command, so nothing was decided.' },
      input: () => z.looseObject({}).meta({ description: 'As GitHub sends it.' }),
      example: {
        action: 'created',
        issue: { number: 7, pull_request: {} },
        comment: { id: 1, body: `/approve ${envelope_id}`, user: alice },
        repository: { full_name: 'acme/web' },
        sender: alice,
      },
      output: () => z.strictObject({ text: z.string().meta({ description: 'Outcome of the vote, in words.' }) }),
      answer: { text: 'scm.create_pull_request: approved by alice.' },
      callback: async () => (await import('#features/github-votes/callback.ts')).githubCallback,
    }),
  },
  rights: { 'approval-callback': { secrets: ['github'] }, notify: { secrets: ['github'] } },
  channels: { github: () => import('./notifier.ts') },
} satisfies Feature;
