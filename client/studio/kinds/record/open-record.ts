import { createSafeContext } from '@mantine/core';
import type { Resource } from '../../../../shared/contract/resource.ts';
import type { Shape } from '../../data/shape.ts';
import type { RecordEditor } from './use-record-editor.ts';

/** The record whose form is on the screen. */
export interface OpenRecord {
  resource: Resource;
  shape: Shape;
  editor: RecordEditor;
  isReadOnly: boolean;
  mayPublish: boolean;
  /** Moves it to the trash. */
  remove(): void;
  /** Shows which fields stand in the way. */
  refuse(): void;
}

export const [OpenRecordProvider, useOpenRecord] = createSafeContext<OpenRecord>('no record is open');
