import { hash } from 'node:crypto';

/** What is stored of a random secret, and looked up by. */
export const hashSecret = (secret: string) => hash('sha256', secret);
