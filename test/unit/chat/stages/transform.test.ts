/** What the platform and the tenant put around the caller's system prompt. */
import { promptsAround, transformRequest } from '#core/chat/stages/transform.ts';
import { stageSetting } from '../../../support/chat-stages.ts';

test('[chat.transforms] without prompts the request is the one that came', async () => {
  const { call } = (await stageSetting()).running();
  expect(transformRequest(call)).toBe(call.body);
});

test("[chat.transforms] the words of the platform are outermost, and the tenant's prompt stands before the caller's", async () => {
  const { call } = (await stageSetting('transform: { system_prompt_prefix: P, system_prompt_suffix: S }')).running({
    messages: [
      { role: 'system', content: 'mine' },
      { role: 'user', content: 'Hello.' },
    ],
  });
  const own = { system_prompt: 'tenant', transform: { system_prompt_prefix: 'p', system_prompt_suffix: 's' } };
  const together = { ...call, tenant: { ...call.tenant, ...own } };
  expect(promptsAround(together)).toEqual(['P\n\np\n\ntenant', 's\n\nS']);
  const { messages } = transformRequest(together);
  expect(messages).toMatchObject([{ role: 'system', content: 'P\n\np\n\ntenant\n\nmine\n\ns\n\nS' }, { role: 'user' }]);
  expect(call.body.messages).toMatchObject([{ content: 'mine' }, {}]);
});
