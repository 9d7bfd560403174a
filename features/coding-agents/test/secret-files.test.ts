/** Files with keys and credentials, read in the way coding agents read them [policy.secret-files]. */
import { readPolicyFile, simulator } from '#agentctl/policy-file.ts';
import { type CodingAgentName, codingAgents } from '../commands/coding-agents.ts';
import { callsOfTool } from '../commands/coding-tool.ts';

/** Returns the hook input for a tool that reads a file. */
const asHook = (path: string): readonly (readonly [tool: string, input: Record<string, unknown>])[] => [
  ...['Read', 'Edit', 'MultiEdit'].map(
    (tool) => [tool, { file_path: path, old_string: 'a', new_string: 'b' }] as const,
  ),
  ['Grep', { pattern: '.', path }],
  ['read_file', { absolute_path: path }],
  ['read_many_files', { paths: [path] }],
  ['read', { filePath: path }],
  ['shell', { command: ['bash', '-lc', `cat '${path}'`] }],
];

test('[policy.secret-files] a coding agent’s hook does not open files that a command line may not read', async () => {
  const decide = simulator(await readPolicyFile('policies/coding-agent.yaml'));
  const place = { workspace: '/home/dev/work', cwd: '/home/dev/work' };
  const passed: string[] = [];
  for (const agent of Object.keys(codingAgents) as CodingAgentName[])
    for (const file of ['.env', 'wallet.dat', 'wallets.dat', '../.netrc', '../.docker/config.json', '.dev.vars'])
      for (const [tool, input] of asHook(`/home/dev/work/${file}`))
        for (const call of callsOfTool(codingAgents[agent], tool, input, place))
          if ((await decide(call as Parameters<typeof decide>[0])).decision === 'allow')
            passed.push(`${agent} ${tool} ${file}`);
  expect(passed).toEqual([]);
});
