import { isSameModel } from '#core/chat/replied-model.ts';

test.each([
  ['gpt-4o-mini', 'gpt-4o-mini-2024-07-18'],
  ['gpt-4', 'gpt-4-0613'],
  ['claude-x', 'claude-x-20250101'],
  ['claude-x', 'anthropic/claude-x'],
  ['claude-3-5-sonnet-latest', 'claude-3-5-sonnet-20241022'],
  ['claude-sonnet-4-0', 'claude-sonnet-4-20250514'],
  ['us.anthropic.claude-3-5-sonnet-20241022-v2:0', 'claude-3-5-sonnet-20241022'],
  ['meta/llama-3:free', 'meta/llama-3'],
])('[chat.replied-model] %s is answered by %s', (asked, replied) => expect(isSameModel(asked, replied)).toBe(true));

test.each([
  ['gpt-4o-mini', 'gpt-4o'],
  ['gpt-4o', 'gpt-4o-mini'],
  ['gpt-5', 'gpt-5-pro'],
  ['gpt-4.1', 'gpt-4'],
])('[chat.replied-model] %s is another model than %s', (asked, replied) =>
  expect(isSameModel(asked, replied)).toBe(false),
);
