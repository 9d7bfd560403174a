/** Functions that reserve part of the account's concurrency, in both forms of a deployment. */
import type { FunctionSpec } from '#core/contracts/function-spec.ts';
import type { FunctionName } from '#core/contracts/functions.ts';
import { functions } from '#features/functions.ts';
import { reservedFor } from '../../lib/concurrency.ts';
import { readSettings } from '../../lib/settings.ts';
import { appNode, functionId, ofType, synthesize } from './synthesized.ts';

type Services = ReturnType<typeof synthesize>['services'];

function reserved(services: Services): Readonly<Record<string, number>> {
  const all = ofType(services, 'AWS::Lambda::Function');
  return Object.fromEntries(
    Object.keys(functions).flatMap((name) => {
      const own = all[functionId(services, name)]!.Properties.ReservedConcurrentExecutions as number | undefined;
      return own === undefined ? [] : [[name, own]];
    }),
  );
}

/** Returns the concurrency that a context's settings reserve, without the templates. */
function settled(context: Record<string, unknown>): Readonly<Record<string, number>> {
  const settings = readSettings(appNode(context));
  return Object.fromEntries(
    Object.entries(functions as Record<string, FunctionSpec>).flatMap(([name, { sandboxed }]) => {
      const own = reservedFor(name as FunctionName, sandboxed?.concurrency, settings);
      return own === undefined ? [] : [[name, own]];
    }),
  );
}

const shared = synthesize({}).services;
const fewer = synthesize({ concurrency: 'reserved', streamConcurrency: 50, sandboxConcurrency: 0 }).services;

describe('[cloud.concurrency] account concurrency', () => {
  it('is shared by default, even with the sandbox, because an account with a quota of 10 has none to reserve', () => {
    expect(reserved(shared)).toEqual({});
    expect(settled({ sandboxConcurrency: 3 })).toEqual({ sandbox: 3 });
  });

  it('is reserved for decisions and votes, and capped for streams, if the operator enables it', () => {
    const deciding = {
      approvals: 10,
      'approval-callback': 10,
      'approval-steps': 20,
      sweep: 2,
      notify: 10,
      policies: 5,
      sandbox: 10,
    };
    const streaming = (most: number) => ({ mcp: most, 'chat-completions': most, messages: most });
    expect(settled({ concurrency: 'reserved' })).toEqual({ ...deciding, ...streaming(200) });
    expect(reserved(fewer)).toEqual({ ...deciding, ...streaming(50), sandbox: 0 });
  });

  it('any other value of the setting stops synthesis', () => {
    expect(() => readSettings(appNode({ concurrency: 'all' }))).toThrow(
      'Context "concurrency" must be shared or reserved',
    );
  });
});
