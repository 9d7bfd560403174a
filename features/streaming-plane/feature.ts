/**
 * The streaming plane: chat, MCP and actions of a deployment in containers that notice when a caller disconnects. It
 * adds a stack and a container, and changes nothing in other processes. Its page is
 * docs/how-to/run-the-streaming-plane.md.
 */
import type { Feature } from '../feature.ts';

export const feature: Feature = {};
