/** Warnings about features that the configuration needs and the machine lacks. */
import { configurationSchema } from '#features/configuration.ts';
import { machineWarnings } from '../../../bin/local/machine-warnings.ts';

const withShell = (enabled: boolean) =>
  configurationSchema.parse({ version: 1, tenants: [{ id: 't', api_keys: [] }], executors: { shell: { enabled } } });

test('[executor.bounds] if prlimit is missing and programs can run, a warning says that they run without limits', async () => {
  const missing = async () => false;
  expect(await machineWarnings(withShell(true), missing)).toEqual([
    expect.stringMatching(/no prlimit.*without limits of memory/),
  ]);
  expect(await machineWarnings(withShell(false), missing)).toEqual([]);
  expect(await machineWarnings(withShell(true), async () => true)).toEqual([]);
});
