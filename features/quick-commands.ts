/**
 * Commands that are loaded without any other if they are the first word of a command line: they run before each call of
 * an agent. A feature that has one has a second line here.
 */
export { quickCommand as codingAgents } from './coding-agents/quick-command.ts';
export type { QuickCommand } from './feature.ts';
