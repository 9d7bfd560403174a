/** Database tables whose reads are noted in session risk. */
import { behaviorSchema } from '#core/contracts/behavior-schema.ts';
import { signalContext, signalsOf } from '#core/session/risk/signals.ts';

const context = signalContext(behaviorSchema.parse({}));
const signalsFor = (target: string, capability = 'read') => {
  const call = { protocol: 'sql', tool: 'sql.select', target, capability, parameters: {} };
  return signalsOf(call, { parts: [], carrier: false }, 'allow', context).map(({ s }) => s);
};

test.each([
  ['pg_shadow', ['secret']],
  ['pg_catalog.pg_authid', ['secret']],
  ['"PG_Subscription"', ['secret']],
  ['mysql.user', ['secret']],
  ['mysql.global_priv', ['secret']],
  ['shop."Users"', ['personal']],
  ['customer_orders', ['personal']],
  // Harmless neighbours.
  ['pg_roles', []],
  ['pg_subscription_rel', []],
  ['shop.global_priv', []],
  ['user_interface_settings', []],
])('[catalog.own] %s: %s', (target, signals) => {
  expect(signalsFor(target)).toEqual(signals);
  expect(signalsFor(target, 'write')).toEqual([]);
});
