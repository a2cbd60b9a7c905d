import { z } from 'zod';
import { enrollment } from '../audience/enrollment.ts';
import { documented, titled } from '../documented.ts';
import { boundedText, outputs } from '../fields.ts';
import { RecordId, SlugAddress } from '../record-id.ts';
import { GateReason } from '../resources/access-tier.ts';
import { lesson } from '../resources/curriculum.ts';
import { timestamp } from '../timestamps.ts';
import { SignedFile } from './media.ts';

/** ID of a certificate: 22 random characters. Anyone who has it sees the certificate. */
export const CertificateId = documented(
  z.string().regex(/^[0-9A-Za-z]{22}$/),
  'ID of the certificate',
  'k3J9x2a7F0q1Zdm8Wc4RtY',
);

const counts = {
  done: documented(z.int().min(0), 'Number of current lessons that the learner has done', 3),
  of: documented(z.int().min(0), 'Number of current lessons of the course', 12),
};

/** Progress of a learner in a course. */
export const CourseProgress = titled('CourseProgress', {
  ...counts,
  completed_at: timestamp('Time at which the learner completed the course; null until then').nullable(),
});

export type CourseProgress = z.infer<typeof CourseProgress>;

/** Enrollment with the progress of its learner. */
export const LearnerEnrollment = enrollment.read.extend(counts);

export const CourseOfLearner = z.strictObject({ course_id: RecordId.describe('ID of the course') });
export const LessonOfLearner = z.strictObject({
  lesson_id: RecordId.describe('ID of the lesson'),
  slug: SlugAddress.optional().describe(
    'Slug of the course. If given, a lesson of another course is not found',
  ),
});

export const maxCertificateName = 200;

export const Certify = CourseOfLearner.extend({
  name: documented(
    boundedText(maxCertificateName).refine((name) => name.trim() !== '', { error: 'must not be empty' }),
    'Name on the certificate. Only the first name counts',
    'Grace Hopper',
  ),
});

const shownLesson = z.strictObject({ id: RecordId, title: lesson.fields.title.output });

/** Lesson in the outline of a course, as a visitor sees it. */
const OutlinedLesson = shownLesson.extend({
  is_preview: z.boolean(),
  is_done: z.boolean(),
  /** True if it was created after the learner completed the course. */
  is_new: z.boolean(),
  /** True if the visitor can open its page and read it. */
  is_open: z.boolean(),
});

const learner = {
  /** Reason why the visitor has no access to the course; null if they have. Preview lessons are open in any case. */
  gate_reason: GateReason.nullable(),
  is_signed_in: z.boolean(),
  ...CourseProgress.shape,
};

/** Course whose lessons are published, as a visitor sees it. */
export const LearnedCourse = z.strictObject({
  id: RecordId,
  ...learner,
  /** True if the visitor has an enrollment that has not ended. */
  is_enrolled: z.boolean(),
  /** ID of the visitor's certificate. Null until the visitor has entered the name for the certificate. */
  certificate_id: CertificateId.nullable(),
  lessons: z.array(OutlinedLesson),
});

const { content, video_url } = outputs(lesson.fields);

const course = z.strictObject({ id: RecordId, slug: z.string(), title: z.string(), access_tier: z.string() });

/** Lesson for its page: the only output for visitors that contains the body and the video URL of a lesson. */
export const LessonPage = z.discriminatedUnion('state', [
  z.strictObject({
    state: z.literal('open'),
    ...learner,
    course,
    lesson: shownLesson,
    module: z.string(),
    /** Position of the lesson among those of the course, from 1. */
    position: z.int(),
    is_done: z.boolean(),
    /** Neighbors that the page links to. Null at the ends of the course, and if the neighbor is locked. */
    previous: shownLesson.nullable(),
    next: shownLesson.nullable(),
    content,
    video_url,
    /** Protected files of which the lesson contains addresses, with the queries that open them. */
    files: z.array(SignedFile),
  }),
  /** Answer for a lesson that the visitor has no access to. */
  z.strictObject({ state: z.literal('closed'), ...learner, course, lesson: shownLesson, module: z.string() }),
  /** Answer for a lesson that is locked until earlier ones are done. `to` is the ID of the lesson to continue with. */
  z.strictObject({ state: z.literal('locked'), to: RecordId }),
  /** Answer if no course with published lessons has the requested slug. `slug` is the current one of the course. */
  z.strictObject({ state: z.literal('moved'), slug: z.string() }),
]);

export const LearnerCourses = z.strictObject({
  data: z.array(
    z.strictObject({
      title: z.string(),
      /** Slug of the course; null if the course is not public. */
      slug: z.string().nullable(),
      ...CourseProgress.shape,
      certificate_id: CertificateId.nullable(),
    }),
  ),
});

export const Certificate = z.strictObject({ name: z.string(), title: z.string(), completed_at: z.date() });
