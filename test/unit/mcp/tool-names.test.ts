/** Tool names as clients see them, and as rules use them. */
import { isPortable, partedName, policyName, toolsWithUniqueNames } from '#core/mcp/tools/tool-names.ts';
import { entry } from './entry.ts';

const long = 'synchronize-all-customer-data-across-multiple-systems';
const offer = (given: object, ...names: string[]) => ({
  entry: entry(given),
  list: { tools: names.map((name) => ({ definition: { name } })) } as never,
});
const exposed = (...offers: ReturnType<typeof offer>[]) => toolsWithUniqueNames(offers).map((tool) => tool.exposed);

test('[mcp.names] a name created by the gateway has at most 64 characters and is stable', () => {
  const offers = [offer({ name: 'enterprise-database-management' }, long), offer({ name: 'files' }, long)];
  const names = exposed(...offers);
  expect(names[0]).toHaveLength(64);
  expect(names[0]).toMatch(/^enterprise-database-management__synchronize-all-custome-[0-9a-f]{8}$/);
  expect(names[1]).toBe(`files__${long}`);
  expect(exposed(...offers)).toEqual(names);
  expect(names.every(isPortable)).toBe(true);
});

test('[mcp.names] with portable_names all names are distinct and accepted by models', () => {
  const names = exposed(
    offer({ name: 'one', portable_names: true }, 'repo/meta.get', 'repo.meta/get', 'get_file', long + long),
  );
  expect(names.filter((name) => !isPortable(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
  expect(names[2]).toBe('get_file');
  // Without this setting, the server's names are unchanged.
  expect(exposed(offer({ name: 'one' }, 'repo/meta.get'))).toEqual(['repo/meta.get']);
});

test('[mcp.names] rules still use the server’s name for the tool, or <server>__<tool>', async () => {
  const [portable] = toolsWithUniqueNames([offer({ name: 'one', portable_names: true }, 'repo/meta.get')]);
  const asked: string[] = [];
  const decisionAs = async (name: string) => {
    asked.push(name);
    return { decision: 'allow' as const };
  };
  expect(await policyName(portable!, decisionAs)).toBe('repo/meta.get');
  expect(asked).toEqual([]);
  const [shortened] = toolsWithUniqueNames([
    offer({ name: 'enterprise-database-management' }, long),
    offer({ name: 'files' }, long),
  ]);
  expect(await policyName(shortened!, decisionAs)).toBe(partedName(shortened!.entry, long));
  expect(asked).toEqual([long, `enterprise-database-management__${long}`]);
});
