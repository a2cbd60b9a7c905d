export { connectToEmbeddedDatabase, startEmbeddedDatabase } from './embedded.ts';
