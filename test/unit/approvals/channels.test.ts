/** Channels in which an approval is requested. */
import { channelsOf } from '#core/approvals/channels.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { sampleRow } from './notifications/sample.ts';

const ports = {
  channelLimits: { code: (_: object, { target }: Pick<ApprovalRow, 'target'>) => target === 'acme/web' },
};
const channels = (code: object) =>
  ({ approvals: { channels: { chat: { enabled: true }, code, webhook: { enabled: false } } } }) as never;

test.each([
  ['all enabled channels', { enabled: true }, 'acme/web', ['chat', 'code']],
  ['not a channel that does not take it', { enabled: true }, 'acme/api', ['chat']],
  ['not a channel that is off', { enabled: false }, 'acme/web', ['chat']],
])('[approval.pr-comment] an approval is requested in %s', (_, code, target, expected) => {
  expect(channelsOf(ports, channels(code), sampleRow({ target }))).toEqual(expected);
});
