export type { ChatPorts } from '#core/chat/ports.ts';
export type { GatewayPorts } from '#core/operations/ports.ts';
