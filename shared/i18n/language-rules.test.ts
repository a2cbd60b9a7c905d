import { expect, test } from 'vitest';
import { isWrittenFromTheRight } from './language-rules.ts';

test.for([
  'ar',
  'AR-eg',
  'he',
  'iw',
  'fa-IR',
  'ur',
  'yi',
  'dv',
  'ckb',
  'ku-Arab',
  'ps',
  'pa-PK',
  'nqo',
  'ff-Adlm',
])('%s is written from right to left', (language) => expect(isWrittenFromTheRight(language)).toBe(true));

test.for(['en', 'pt-BR', 'ar-Latn', 'ku', 'pa', 'tr', 'ja', 'zh-Hant', 'el', 'ff', 'xx', 'zxx'])(
  '%s is written from left to right',
  (language) => expect(isWrittenFromTheRight(language)).toBe(false),
);
