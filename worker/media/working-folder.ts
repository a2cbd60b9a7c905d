import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeLeftFolders } from '../../shared/process/left-folders.ts';

const prefix = 'creator-content-sizes-';

/** A folder for the copies of an image: a process of its own makes them, which needs names. The caller removes it. */
export const makeWorkingFolder = () => mkdtemp(join(tmpdir(), prefix));

/** Removes those of workers that were killed. */
export const removeLeftWork = () => removeLeftFolders(tmpdir(), (name) => name.startsWith(prefix));
