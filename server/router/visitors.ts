import { approvedTestimonials } from '../features/audience/visitors.ts';
import { courseBySlug, coursesInOrder } from '../features/curriculum/visitors.ts';
import { shownImages } from '../features/media/visitors.ts';
import { signedInMember } from '../features/members/visitor.ts';
import { pagesVisitors } from '../features/pages/visitors.ts';
import { entitlements, pinnedPosts } from '../features/posts/visitor.ts';
import { redirectFrom } from '../features/redirects/visitors.ts';
import { router } from '../kernel/trpc.ts';

/** Procedures that the pages of the public site call besides those of the API; served over nothing else. */
export const visitorsRouter = router({
  visitors: router({
    course: courseBySlug,
    courses: coursesInOrder,
    pages: pagesVisitors,
    testimonials: approvedTestimonials,
    entitlements,
    pinnedPosts,
    member: signedInMember,
    images: shownImages,
    redirect: redirectFrom,
  }),
});

export type VisitorsRouter = typeof visitorsRouter;
