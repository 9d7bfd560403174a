import { Subscriptions } from '#core/mcp/sessions/subscriptions.ts';

test('[mcp.sessions] a key that subscribes in too many sessions loses its own subscriptions, and no other key is affected', () => {
  const subscriptions = new Subscriptions();
  subscriptions.of({ session: 'other', key: 't\nk2' }).add('address');
  for (let n = 0; n < 2_001; n++) subscriptions.of({ session: `s${n}`, key: 't\nk1' }).add('address');
  expect(subscriptions.get('other')).toEqual(new Set(['address']));
  expect(subscriptions.get('s0')).toBeUndefined();
  expect(subscriptions.get('s2000')).toEqual(new Set(['address']));
  expect([...subscriptions.values()]).toHaveLength(2_000);
});

test('[mcp.sessions] a session that subscribes again keeps its addresses and becomes the most recent one', () => {
  const subscriptions = new Subscriptions();
  for (let n = 0; n < 2_000; n++) subscriptions.of({ session: `s${n}`, key: 'k' }).add('one');
  subscriptions.of({ session: 's0', key: 'k' }).add('two');
  subscriptions.of({ session: 'next', key: 'k' });
  expect(subscriptions.get('s0')).toEqual(new Set(['one', 'two']));
  expect(subscriptions.get('s1')).toBeUndefined();
  subscriptions.delete('s0');
  expect(subscriptions.get('s0')).toBeUndefined();
});
