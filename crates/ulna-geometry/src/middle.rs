//! Centers of limbs inside their skin, found by ray casts.

use glam::Vec3;

use super::Ray;

/// Center of a body along a ray: midway between the first and the last crossing with the skin. With
/// `front`, it is midway between the first two crossings. See [`middle_of_limb`] for `extent` and
/// `hit`.
pub fn middle_along_ray(
    ray: &Ray,
    extent: f32,
    front: bool,
    hit: &dyn Fn(&Ray) -> Option<f32>,
) -> Option<Vec3> {
    /// Maximum number of times that the ray crosses the surface.
    const MOST: usize = 64;
    let gap = extent * 1e-4;
    let (mut start, mut crossings) = (0.0, Vec::new());
    while crossings.len() < MOST {
        let from = Ray { origin: ray.origin + ray.direction * start, ..*ray };
        let Some(distance) = hit(&from) else { break };
        crossings.push(start + distance);
        start += distance + gap;
    }
    let (first, last) = (*crossings.first()?, *crossings.last()?);
    // Closely overlapping shells, such as clothes over skin, count as one crossing.
    let second = crossings.iter().copied().find(|d| d - first > gap * 20.0);
    let end = if front { second.unwrap_or(last) } else { last };
    Some(ray.origin + ray.direction * ((first + end) * 0.5))
}

/// Center of a limb around a point inside it: the mean of opposite skin points in the plane
/// perpendicular to the bone. Returns `None` if the point is not inside.
///
/// `bone` is the direction of the bone, and `extent` the size of the scene in meters. `hit` returns
/// the distance along a ray to the skin.
pub fn middle_of_limb(
    at: Vec3,
    bone: Vec3,
    extent: f32,
    hit: &dyn Fn(&Ray) -> Option<f32>,
) -> Option<Vec3> {
    /// Number of pairs of opposite directions. `ROUNDS` limits the number of iterations.
    const PAIRS: usize = 12;
    const ROUNDS: usize = 6;
    let way = if bone.length() > extent * 1e-6 { bone } else { Vec3::Y };
    let (u, v) = way.normalize_or(Vec3::Y).any_orthonormal_pair();
    let mut middle = at;
    for _ in 0..ROUNDS {
        let mut sum = Vec3::ZERO;
        for k in 0..PAIRS {
            let angle = std::f32::consts::PI * k as f32 / PAIRS as f32;
            let direction = u * angle.cos() + v * angle.sin();
            let cast = |direction: Vec3| hit(&Ray { origin: middle, direction });
            let (there, back) = cast(direction).zip(cast(-direction))?;
            sum += direction * ((there - back) * 0.5);
        }
        let step = sum / PAIRS as f32;
        middle += step;
        if step.length() < extent * 1e-5 {
            break;
        }
    }
    Some(middle)
}

/// Center of the narrowest cross-section around a point inside a limb. The plane of the shortest
/// skin loop is taken as perpendicular to the limb. See [`middle_of_limb`] for `extent` and `hit`.
pub fn middle_of_loop(at: Vec3, extent: f32, hit: &dyn Fn(&Ray) -> Option<f32>) -> Option<Vec3> {
    /// Number of candidate limb directions, over a hemisphere.
    const DIRECTIONS: usize = 48;
    /// Number of pairs of opposite points of a loop.
    const PAIRS: usize = 8;
    let width = |way: Vec3| -> Option<f32> {
        let (u, v) = way.any_orthonormal_pair();
        let mut sum = 0.0;
        for k in 0..PAIRS {
            let angle = std::f32::consts::PI * k as f32 / PAIRS as f32;
            let direction = u * angle.cos() + v * angle.sin();
            let cast = |direction: Vec3| hit(&Ray { origin: at, direction });
            sum += cast(direction)? + cast(-direction)?;
        }
        Some(sum)
    };
    // A spiral distributes the directions evenly.
    let direction = |k: usize| {
        let height = (k as f32 + 0.5) / DIRECTIONS as f32;
        let angle = k as f32 * 2.399_963;
        let radius = (1.0 - height * height).sqrt();
        Vec3::new(angle.cos() * radius, height, angle.sin() * radius).normalize_or(Vec3::Y)
    };
    let all = (0..DIRECTIONS).map(direction).filter_map(|way| Some((width(way)?, way)));
    let (_, way) = all.min_by(|a, b| a.0.total_cmp(&b.0))?;
    middle_of_limb(at, way, extent, hit)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ray cast from inside against a tube with the given axis, center and radius.
    fn tube(axis: Vec3, center: Vec3, radius: f32) -> impl Fn(&Ray) -> Option<f32> {
        move |ray| {
            let (origin, direction) = (ray.origin, ray.direction);
            let flat = |v: Vec3| v - axis * v.dot(axis);
            let (o, d) = (flat(origin - center), flat(direction));
            let (a, b, c) = (d.dot(d), 2.0 * o.dot(d), o.dot(o) - radius * radius);
            // Rays parallel to the tube hit an end cap far away.
            if a < 1e-9 {
                return Some(10.0);
            }
            let root = (b * b - 4.0 * a * c).sqrt();
            ((-b + root) / (2.0 * a)).is_finite().then_some((-b + root) / (2.0 * a))
        }
    }

    #[test]
    fn the_center_of_a_limb_is_on_its_axis_for_any_joint_position() {
        let axis = Vec3::new(1.0, 0.4, -0.2).normalize_or(Vec3::X);
        let center = Vec3::new(0.2, 1.0, 0.1);
        let hit = tube(axis, center, 0.05);
        let (u, _) = axis.any_orthonormal_pair();
        let at = center + u * 0.03 + axis * 0.2;
        let off = |p: Vec3| (p - center).reject_from(axis).length();
        let limb = middle_of_limb(at, axis, 2.0, &hit).unwrap();
        assert!(off(limb) < 1e-3, "{limb}");
        assert!(((limb - at).dot(axis)).abs() < 1e-4, "square to the bone");
        let ring = middle_of_loop(at, 2.0, &hit).unwrap();
        assert!(off(ring) < 0.004, "the direction is found: {}", off(ring));
    }

    #[test]
    fn outside_all_limbs_there_is_no_center() {
        assert_eq!(middle_of_limb(Vec3::ZERO, Vec3::Y, 1.0, &|_| None), None);
        assert_eq!(middle_of_loop(Vec3::ZERO, 1.0, &|_| None), None);
    }

    /// Ray cast along x against planes perpendicular to x, at ascending positions.
    fn planes(at: &[f32]) -> impl Fn(&Ray) -> Option<f32> {
        move |ray| at.iter().map(|x| x - ray.origin.x).find(|d| *d > 0.0)
    }

    #[test]
    fn the_center_along_a_ray_is_halfway_between_front_and_back_skin() {
        let ray = Ray { origin: Vec3::ZERO, direction: Vec3::X };
        // Planes: a sleeve over an arm, then the body behind the arm.
        let hit = planes(&[1.0, 1.001, 1.2, 2.0, 2.6]);
        let x = |front| middle_along_ray(&ray, 2.0, front, &hit).unwrap().x;
        assert!((x(true) - 1.1).abs() < 1e-5, "{}", x(true));
        assert!((x(false) - 1.8).abs() < 1e-5, "{}", x(false));
        assert_eq!(middle_along_ray(&ray, 2.0, true, &|_| None), None);
    }
}
